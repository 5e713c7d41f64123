import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { getRow, snapshot, statusAndMessage } from './fixtures.ts'

let api: TestApi
beforeEach(async () => {
  api = await createTestApi()
})
afterEach(() => api.close())

const read = async () => (await api.admin.get('/SystemInformation')).body
const post = (body: object) => api.admin.post('/SystemInformation', body)

const nothing = {
  domain_name: null,
  sip_domain_name: null,
  monitoring_domain_name: null,
  private_network_cidr: null,
  log_level: 'info',
}

describe('system information', () => {
  test('API-049 API-050 SETTINGS-13 COMMON-44 saved values are returned; absent ones remain, null clears, and an empty string is stored', async () => {
    expect(await read()).toEqual({})
    const first = { domain_name: 'example.org', private_network_cidr: '10.0.0.0/8,192.168.0.1' }
    const response = await post(first)
    expect([response.status, response.body]).toEqual([201, { ...nothing, ...first }])
    expect(await read()).toEqual({ ...nothing, ...first })
    const second = { sip_domain_name: 'sip.example.org', monitoring_domain_name: '', log_level: 'debug' }
    expect((await post(second)).body).toEqual({ ...nothing, ...first, ...second })
    expect((await post({ domain_name: null })).status).toBe(201)
    expect(await read()).toEqual({ ...nothing, ...first, ...second, domain_name: null })
  })

  test('SETTINGS-13 an invalid value is 400 with the field name and changes nothing', async () => {
    await post({ domain_name: 'example.org' })
    const before = await snapshot(api)
    for (const [body, field] of [
      [{ log_level: 'trace' }, 'log_level'],
      [{ log_level: null }, 'log_level'],
      [{ domain_name: 'x'.repeat(256) }, 'domain_name'],
      [{ domain_name: 7 }, 'domain_name'],
      [{ domain: 'x' }, 'domain'],
      [{ private_network_cidr: '10.0.0.0/8,10.0.0.0/33' }, 'private_network_cidr'],
    ] as const)
      expect(await post(body)).toMatchObject({ status: 400, body: { field } })
    expect(statusAndMessage(await post({}))).toEqual([400, 'the request changes nothing'])
    expect(statusAndMessage(await post({ private_network_cidr: '10.0.0.0/8,10.0.0.0/33' }))).toEqual([
      400,
      'Invalid private network CIDR "10.0.0.0/33"',
    ])
    expect(await snapshot(api)).toEqual(before)
  })
})

describe('the TTS cache without Redis', () => {
  test('SETTINGS-15 is empty, and clearing it succeeds and is recorded', async () => {
    const account = await api.account(await api.provider())
    for (const path of ['/TtsCache', `/Accounts/${account}/TtsCache`]) {
      expect(await api.admin.get(path)).toMatchObject({ status: 200, body: { size: 0 } })
      expect(await api.admin.delete(path)).toMatchObject({ status: 204, text: '' })
    }
    const trail = getRow(await api.admin.get('/patchbay/audit-trail?page=1&count=25&days=1&kind=tts_cache'))
    expect(trail['data']).toMatchObject([
      { action: 'delete', sid: account, account_sid: account, changes: [{ field: 'size', before: 0, after: null }] },
      { action: 'delete', sid: null, account_sid: null },
    ])
  })
})
