import { connectFakeVendors } from '@patchbay/testkit/fakes/speech/connect-fake-vendors'
import { fakeVendors } from '@patchbay/testkit/fakes/speech/vendors'
import { expect, test } from 'vitest'
import { synthesizeSpeech } from './synthesize.ts'

const { vendorServer, outgoing } = await connectFakeVendors()
const credential = { ...fakeVendors.find(({ name }) => name === 'wellsaid')?.credential }
const phrase = { text: 'Hello', language: 'en-US', voice: '3' }

test('measures the first byte before the complete response', async () => {
  const { milliseconds } = await synthesizeSpeech('wellsaid', credential, phrase, { outgoing, asMp3: false })
  expect(milliseconds.firstByte).toBeGreaterThan(0)
  expect(milliseconds.firstByte).toBeLessThanOrEqual(milliseconds.total)
})

test('rejects if the vendor exceeds the time limit', async () => {
  vendorServer.behave('slow')
  await expect(
    synthesizeSpeech('wellsaid', credential, phrase, { outgoing, asMp3: false, seconds: 0.05 }),
  ).rejects.toThrow('The vendor did not answer in time')
})
