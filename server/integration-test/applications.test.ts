import connect from '@jambonz/db-helpers'
import { readByPlatform } from '@patchbay/testkit/crash/platform-decrypt'
import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** Applications and speech credentials as jambonz's call servers look them up and decrypt them. */

const silent = { info: () => {}, debug: () => {}, warn: () => {}, error: () => {} }

let api: TestApi
let platform: ReturnType<typeof connect>
beforeAll(async () => {
  api = await createTestApi()
  const { hostname: host, port, pathname } = new URL(api.test.address)
  platform = connect(
    { host, port: Number(port), user: 'root', database: pathname.slice(1), connectionLimit: 2 },
    silent,
  )
  await platform.ping()
})
afterAll(async () => {
  platform.pool.end()
  await api.close()
})

test('an application is found with its hooks, speech settings, and variables', async () => {
  const account_sid = await api.account(await api.provider())
  const hook = { url: 'https://hooks.example.org/call', method: 'POST', username: 'u', password: 'p' }
  const response = await api.admin.post('/Applications', {
    name: 'reception',
    account_sid,
    call_hook: hook,
    call_status_hook: { ...hook, url: 'https://hooks.example.org/status' },
    speech_synthesis_vendor: 'deepgram',
    speech_synthesis_label: 'main',
    app_json: '[{"verb":"hangup"}]',
    env_vars: { COMPANY: 'Harbour', ATTEMPTS: 3 },
  })
  const application = await platform.lookupAppBySid(member(response, 'sid'))
  expect(application).toMatchObject({
    name: 'reception',
    account_sid,
    call_hook: hook,
    call_status_hook: { url: 'https://hooks.example.org/status' },
    speech_synthesis_vendor: 'deepgram',
    speech_synthesis_label: 'main',
    app_json: '[{"verb":"hangup"}]',
  })
  expect(JSON.parse(readByPlatform(application?.['env_vars'] as string))).toEqual({ COMPANY: 'Harbour', ATTEMPTS: 3 })
})

test('a credential is decrypted to the fields of its vendor, before and after a change', async () => {
  const service_provider_sid = await api.provider()
  const path = `/ServiceProviders/${service_provider_sid}/SpeechCredentials`
  const microsoft = { vendor: 'microsoft', api_key: 'a-key', region: 'westus', use_for_tts: 1, use_custom_tts: 0 }
  const sid = member(await api.admin.post(path, microsoft), 'sid')
  const stored = async (): Promise<unknown> => {
    const { db } = api.test.database
    const rows = db.selectFrom('speech_credentials').select('credential').where('speech_credential_sid', '=', sid)
    return JSON.parse(readByPlatform((await rows.executeTakeFirstOrThrow()).credential))
  }
  expect(await stored()).toEqual({ api_key: 'a-key', region: 'westus', use_custom_tts: 0 })
  await api.admin.put(`${path}/${sid}`, { use_for_tts: 1, region: 'eastus', api_key: 'aXXXX' })
  expect(await stored()).toEqual({ api_key: 'a-key', region: 'eastus' })
})
