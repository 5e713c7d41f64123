import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { alertRecord, storeTrace, storeTracedCall } from '../fixtures.ts'

/** Secrets in URLs: callers who may change a record can read them, and view-only users cannot. */

const secret = 'hunter2'
const url = `https://robot:${secret}@hooks.example.org`

let api: TestApi
let viewer: Caller
let editor: Caller
let operator: Caller
/** Paths of the resources that contain the secret. */
let paths: string[]

beforeAll(async () => {
  api = await createTestApi()
  const service_provider_sid = await api.provider()
  const account_sid = await api.account(service_provider_sid)
  const { admin } = api
  editor = (await api.user({ account_sid, service_provider_sid })).caller
  operator = (await api.user({ service_provider_sid })).caller
  viewer = (await api.user({ account_sid, service_provider_sid, is_view_only: true })).caller
  const create = async (path: string, body: object) => member(await admin.post(path, body), 'sid')

  const hook = (path: string) => ({ url: `${url}/${path}`, method: 'POST' })
  const application = await create('/Applications', {
    name: 'app',
    account_sid,
    call_hook: hook('call'),
    call_status_hook: hook('status'),
  })
  await admin.put(`/Accounts/${account_sid}`, {
    registration_hook: hook('registration'),
    queue_event_hook: hook('queue'),
    bucket_credential: {
      vendor: 'google',
      name: 'recordings',
      service_key: JSON.stringify({
        client_email: 'robot@example.org',
        private_key: '-----BEGIN PRIVATE KEY-----\nMIIEvQ+more',
        private_key_id: `identifier-${secret}`,
      }),
    },
  })
  const speech = await create(`/Accounts/${account_sid}/SpeechCredentials`, {
    vendor: 'deepgram',
    use_for_tts: 1,
    use_for_stt: 0,
    api_key: 'a-key-of-deepgram',
    deepgram_tts_uri: url,
  })
  const destination = await create('/patchbay/alert-destinations', {
    account_sid,
    name: 'chat',
    kind: 'webhook',
    target: `https://hooks.example.org/services/${secret}`,
    types: [],
  })
  const message = `POST ${url}/call returned 503`
  const alert = { account_sid, service_provider_sid, time: BigInt(Date.now()) * 1_000_000n, message }
  await api.sinks.alerts.store([alertRecord(alert)])
  const attributes = [{ key: 'http.url', value: { stringValue: `${url}/call` } }]
  const trace_id = await storeTracedCall(
    api,
    { account_sid, service_provider_sid },
    await storeTrace(api, { attributes: [...attributes, { key: 'accountSid', value: { stringValue: account_sid } }] }),
  )
  paths = [
    '/Accounts',
    `/Accounts/${account_sid}`,
    '/Applications',
    `/Applications/${application}`,
    `/Accounts/${account_sid}/SpeechCredentials`,
    `/Accounts/${account_sid}/SpeechCredentials/${speech}`,
    `/patchbay/accounts/${account_sid}/alert-destinations`,
    `/patchbay/alert-destinations/${destination}`,
    `/Accounts/${account_sid}/Alerts?page=1&count=25`,
    `/Accounts/${account_sid}/RecentCalls/trace/${trace_id}`,
  ]
})
afterAll(() => api.close())

describe('secrets in URLs', () => {
  test('are visible to callers who may change the records', async () => {
    for (const path of paths) {
      const { status, text } = await editor.get(path)
      expect([path, status, text.includes(secret)]).toEqual([path, 200, true])
    }
  })

  test('are masked for view-only users', async () => {
    for (const path of paths) {
      const { status, text } = await viewer.get(path)
      expect([path, status, text.includes(secret)]).toEqual([path, 200, false])
    }
    expect((await viewer.get(paths[3] ?? '')).body).toMatchObject({
      call_hook: { url: 'https://********@hooks.example.org/call' },
    })
    expect((await viewer.get(paths[7] ?? '')).body).toMatchObject({ target: 'https://hooks.example.org/********' })
  })

  test('are masked for everyone in the audit trail', async () => {
    const { status, text } = await operator.get('/patchbay/audit-trail?page=1&count=100')
    expect([status, text.includes('hooks.example.org'), text.includes(secret)]).toEqual([200, true, false])
  })
})
