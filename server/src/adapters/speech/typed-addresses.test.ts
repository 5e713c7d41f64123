import { expect, test } from 'vitest'
import { createOutgoing } from '../outbound-http/outgoing.ts'
import { testCredential } from './test-credential.ts'
import { loadSpeechVendor } from './vendors.ts'

/** Addresses that a tenant enters are called only if they are public or the operator allows their network. */

const outgoing = createOutgoing({ privateNetworks: [], vendorAddresses: {} })

const notAllowed = (address: string) => `${address} is in a private network. Use a public address`

test.each([
  ['houndify', 'stt', { houndify_server_uri: 'ws://127.0.0.1:9/' }, '127.0.0.1'],
  ['microsoft', 'tts', { use_custom_tts: 1, custom_tts_endpoint_url: 'http://10.0.0.1:5000' }, '10.0.0.1'],
  ['microsoft', 'stt', { use_custom_stt: 1, custom_stt_endpoint_url: 'ws://192.168.0.1:5000' }, '192.168.0.1'],
  ['nuance', 'tts', { nuance_tts_uri: '127.0.0.1:8090' }, '127.0.0.1'],
  ['nuance', 'tts', { nuance_tts_uri: 'localhost:8090' }, 'localhost'],
  ['nuance', 'tts', { nuance_tts_uri: '[::1]:8090' }, '::1'],
  ['speechmatics', 'stt', { speechmatics_stt_uri: 'ws://127.0.0.1:9000' }, '127.0.0.1'],
  ['speechmatics', 'stt', { speechmatics_stt_uri: 'localhost:9000' }, 'localhost'],
] as const)('%s, %s: %j', async (vendor, half, credential, address) => {
  expect(await testCredential(vendor, half, credential, outgoing)).toEqual({
    status: 'fail',
    reason: notAllowed(address),
  })
})

test('microsoft: rejects a region that would change the host', async () => {
  const credential = { api_key: 'a key', region: '169.254.169.254/latest/?' }
  expect(await testCredential('microsoft', 'tts', credential, outgoing)).toEqual({
    status: 'fail',
    reason: 'The region 169.254.169.254/latest/? is not valid',
  })
})

test.each([
  ['custom:mine', { custom_tts_url: 'http://127.0.0.1:9/say' }, '127.0.0.1'],
  ['nvidia', { riva_server_uri: '10.0.0.1:50051' }, '10.0.0.1'],
])('%s, during synthesis: %j', async (name, credential, address) => {
  const vendor = await loadSpeechVendor(name)
  const phrase = { text: 'Hello', language: 'en-US', voice: 'a voice' }
  const stop = new AbortController().signal
  await expect(vendor?.synthesize?.({ ...credential }, phrase, { outgoing, stop })).rejects.toThrow(notAllowed(address))
})
