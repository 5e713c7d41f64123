import { type FakeVendorServer, startFakeVendorServer } from '@patchbay/testkit/speech/fake-vendor-server'
import type { FakeVendor } from '@patchbay/testkit/speech/fake-vendor'
import { fakeVendors } from '@patchbay/testkit/speech/vendors'
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

const fakeOf = (name: string): FakeVendor => {
  const fake = fakeVendors.find((candidate) => candidate.name === name)
  if (fake === undefined) throw new Error(`${name} has no far side`)
  return fake
}

const half = async (name: string, which: 'tts' | 'stt', more: object = {}, seconds?: number) => {
  const { credential } = fakeOf(name)
  return testCredential(name, which, { ...credential, ...more }, outgoing, seconds)
}

/** Recognition of Nuance is well without a call (api/3-speech.md §2.7.3). */
const isAsked = (name: string, which: 'tts' | 'stt') => !(name === 'nuance' && which === 'stt')

/** Each half of each vendor that can be tested. */
const halves = await (async () => {
  const all = await Promise.all(speechVendorNames.map(async (name) => ({ name, vendor: await loadSpeechVendor(name) })))
  const found = all.flatMap(({ name, vendor }) => [
    ...(vendor?.testTts ? [[name, 'tts'] as const] : []),
    ...(vendor?.tryStt ? [[name, 'stt'] as const] : []),
  ])
  return found.filter(([name, which]) => isAsked(name, which))
})()

test('every vendor that is asked for something has a far side', () => {
  expect(fakeVendors.map(({ name }) => name)).toEqual(speechVendorNames)
})

describe.each(halves)('%s, %s', (name, which) => {
  test('is tested with a real request', async () => {
    vendorServer.taken()
    expect(await half(name, which)).toEqual({ status: 'ok' })
    expect(vendorServer.taken().length).toBeGreaterThan(0)
  })

  test('fails with a reason for each field that is wrong', async () => {
    const { checked } = fakeOf(name)
    const fields = Object.keys(checked).filter((field) => checked[field]?.includes(which))
    expect(fields).not.toEqual([])
    for (const field of fields) {
      const outcome = await half(name, which, { [field]: 'something else' })
      expect({ field, ...outcome }).toEqual({
        field,
        status: 'fail',
        reason: expect.stringMatching(/^.{4,300}$/) as string,
      })
    }
  })

  test.each([
    ['slow', 0.3, /did not answer in time/],
    ['cut off', 15, /broke off|aborted|closed|cut/i],
    ['nonsense', 15, /./],
  ] as const)('a vendor that is %s fails', async (mood, seconds, reason) => {
    vendorServer.behave(mood)
    const outcome = await half(name, which, {}, seconds)
    expect(outcome).toEqual({ status: 'fail', reason: expect.stringMatching(reason) as string })
  })
})
