import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { getPort, loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

/** A stored secret that cannot be read must not be sent to a host that is entered later. */

let api: TestApi
let attacker: Server
let origin: string
let requests: number
let account_sid: string

beforeAll(async () => {
  api = await createTestApi({ PRIVATE_NETWORKS: loopbackNetwork })
  attacker = createServer((_request, response) => {
    requests += 1
    response.writeHead(204).end()
  }).listen(0, '127.0.0.1')
  await once(attacker, 'listening')
  origin = `http://127.0.0.1:${getPort(attacker)}`
})
afterAll(async () => {
  attacker.close()
  await api.close()
})
beforeEach(async () => {
  requests = 0
  account_sid = await api.account(await api.provider())
})

const editor = async () => (await api.user({ account_sid })).caller

test('a speech service with a new host needs its secret again', async () => {
  const caller = await editor()
  const path = `/Accounts/${account_sid}/SpeechCredentials`
  const stored = { use_for_tts: 1, use_for_stt: 0, resemble_tts_uri: 'https://speech.example.com' }
  const created = await caller.post(path, { ...stored, vendor: 'resemble', api_key: 'token-of-the-owner' })
  const sid = member(created, 'sid')
  const response = (await caller.get(`${path}/${sid}`)).body as Record<string, unknown>

  for (const api_key of [undefined, '', response['api_key']])
    expect(await caller.put(`${path}/${sid}`, { ...stored, resemble_tts_uri: origin, api_key })).toMatchObject({
      status: 422,
      body: { code: 'unusable_speech_credential', field: 'api_key' },
    })
  await caller.get(`${path}/${sid}/test`)
  expect(requests).toBe(0)

  const moved = { ...stored, resemble_tts_uri: origin, api_key: 'a token for the new host' }
  expect((await caller.put(`${path}/${sid}`, moved)).status).toBe(204)
  await caller.get(`${path}/${sid}/test`)
  expect(requests).toBe(1)
})

test('a storage with a new host needs its secret again', async () => {
  const caller = await editor()
  const credential = {
    vendor: 's3_compatible',
    endpoint: 'https://storage.example.com',
    name: 'recordings',
    access_key_id: 'the-key-id',
    secret_access_key: 'secret-of-the-owner',
  }
  await caller.put(`/Accounts/${account_sid}`, { bucket_credential: credential })
  const { bucket_credential: maskedCredential } = (await caller.get(`/Accounts/${account_sid}`)).body as {
    bucket_credential: object
  }
  const moved = { ...maskedCredential, endpoint: origin }
  const refused = { status: 400, body: { field: 'bucket_credential.secret_access_key' } }
  expect(await caller.put(`/Accounts/${account_sid}`, { bucket_credential: moved })).toMatchObject(refused)
  expect(await caller.post(`/Accounts/${account_sid}/BucketCredentialTest`, moved)).toMatchObject(refused)
  expect(requests).toBe(0)
  const again = { bucket_credential: { ...moved, secret_access_key: 'secret-of-the-owner' } }
  expect((await caller.put(`/Accounts/${account_sid}`, again)).status).toBe(204)
})
