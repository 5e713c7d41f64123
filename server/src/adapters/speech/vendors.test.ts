import type { FakeVendor } from '@patchbay/testkit/fakes/speech/fake-vendor'
import { type FakeVendorServer, startFakeVendorServer } from '@patchbay/testkit/fakes/speech/fake-vendor-server'
import { fakeVendors } from '@patchbay/testkit/fakes/speech/vendors'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createOutgoing, type Outgoing } from '../outbound-http/outgoing.ts'
import { testCredential } from './test-credential.ts'
import { loadSpeechVendor, speechVendorNames } from './vendors.ts'

let vendorServer: FakeVendorServer
let outgoing: Outgoing

beforeAll(async () => {
  vendorServer = await startFakeVendorServer()
  outgoing = createOutgoing({ privateNetworks: [], vendorAddresses: vendorServer.addresses })
})
afterAll(() => vendorServer.stop())
beforeEach(() => vendorServer.behave('ok'))

const findFake = (name: string): FakeVendor => {
  const fake = fakeVendors.find((candidate) => candidate.name === name)
  if (fake === undefined) throw new Error(`${name} has no far side`)
  return fake
}

const testHalf = async (name: string, which: 'tts' | 'stt', overrides: object = {}, seconds?: number) => {
  const { credential } = findFake(name)
  return testCredential(name, which, { ...credential, ...overrides }, outgoing, seconds)
}

/**
 * The recognition test of Nuance sends no request
 * (docs/reference/platform-api/speech-vendor-requests.md#recognition-tests).
 */
const sendsRequest = (name: string, which: 'tts' | 'stt') => !(name === 'nuance' && which === 'stt')

/** Each half of each vendor that has a test. */
const testedHalves = await (async () => {
  const all = await Promise.all(speechVendorNames.map(async (name) => ({ name, vendor: await loadSpeechVendor(name) })))
  const candidates = all.flatMap(({ name, vendor }) => [
    ...(vendor?.testTts ? [[name, 'tts'] as const] : []),
    ...(vendor?.testStt ? [[name, 'stt'] as const] : []),
  ])
  return candidates.filter(([name, which]) => sendsRequest(name, which))
})()

test('every supported vendor has a fake server', () => {
  expect(fakeVendors.map(({ name }) => name)).toEqual(speechVendorNames)
})

describe.each(testedHalves)('%s, %s', (name, which) => {
  test('is tested with a real request', async () => {
    vendorServer.taken()
    expect(await testHalf(name, which)).toEqual({ status: 'ok' })
    expect(vendorServer.taken().length).toBeGreaterThan(0)
  })

  test('fails with a reason for each wrong field', async () => {
    const { checked } = findFake(name)
    const fields = Object.keys(checked).filter((field) => checked[field]?.includes(which))
    expect(fields).not.toEqual([])
    for (const field of fields) {
      const outcome = await testHalf(name, which, { [field]: 'something else' })
      expect({ field, ...outcome }).toEqual({
        field,
        status: 'fail',
        reason: expect.stringMatching(/^.{4,300}$/) as string,
      })
    }
  })

  test.each([
    ['slow', 0.3, /did not answer in time/],
    ['cut off', 15, /aborted|closed|cut/i],
    ['nonsense', 15, /./],
  ] as const)('fails if the vendor is %s', async (behavior, seconds, reason) => {
    vendorServer.behave(behavior)
    const outcome = await testHalf(name, which, {}, seconds)
    expect(outcome).toEqual({ status: 'fail', reason: expect.stringMatching(reason) as string })
  })
})
