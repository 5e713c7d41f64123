import { loopbackNetwork, startGoogleServer } from '@patchbay/testkit/fake-object-storage'
import { expect, test } from 'vitest'
import { createObjectStorage } from './object-storage.ts'

test('gets a new token if Google revokes one, and reports limits and outages', async () => {
  const google = await startGoogleServer()
  const { vendorAddresses, credential } = google
  const storage = createObjectStorage({ privateNetworks: [loopbackNetwork], vendorAddresses })
  const { name, service_key } = credential
  const bucket = await storage.open({ vendor: 'google', name, service_key, tags: [] }, 60)
  const signal = AbortSignal.timeout(60_000)
  const write = () => bucket.write('key', Buffer.from('content'), signal)
  const read = () => bucket.read('key', 100, signal)
  await write()
  google.expireTokens()
  expect((await read()).toString()).toBe('content')
  // The body of an upload can be sent only once.
  google.expireTokens()
  await expect(write()).rejects.toThrow('Invalid Credentials')
  await write()
  for (const status of [429, 503] as const) {
    google.fail(status, 1)
    await expect(read()).rejects.toThrow('Try again later.')
    expect((await read()).toString()).toBe('content')
  }
  await google.stop()
})
