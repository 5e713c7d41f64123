import { randomUUID } from 'node:crypto'
import { createRequire } from 'node:module'
import { createInfluxAlerts } from '@patchbay/server/call-data/influxdb/influx-alerts'
import { createInfluxCalls } from '@patchbay/server/call-data/influxdb/influx-calls'
import { createInfluxDb } from '@patchbay/server/call-data/influxdb/influxdb'
import { errorForLog } from '@patchbay/server/lib/log'
import { type InfluxServer, startInfluxDb } from '@patchbay/testkit/servers/influxdb'
import { createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'

/** Call data that jambonz's components write, with Debian's InfluxDB. Searches are tested in server/test. */

let influx: InfluxServer
let api: TestApi
let service_provider_sid: string
let account_sid: string
beforeAll(async () => {
  influx = await startInfluxDb()
  api = await createTestApi(influx.settings)
})
beforeEach(async () => {
  service_provider_sid = await api.provider()
  account_sid = await api.account(service_provider_sid)
})
afterAll(async () => {
  await api.close()
  await influx.stop()
})

const paths = () => ['RecentCalls', 'Alerts'].map((what) => `/Accounts/${account_sid}/${what}?page=1&count=25`)
const answers = () => Promise.all(paths().map((path) => api.admin.get(path)))

test('an empty InfluxDB returns no results', async () => {
  for (const { status, body } of await answers())
    expect([status, body]).toEqual([200, { total: 0, page: '1', page_size: '25', data: [] }])
})

test("data written by the published package of jambonz is read like data from Patchbay's own tables", async () => {
  const timeSeries = createRequire(new URL('../../e2e/package.json', import.meta.url))('@jambonz/time-series')
  const silent = { info: () => {}, debug: () => {}, error: () => {} }
  const options = { host: '127.0.0.1', port: influx.port, commitSize: 1, commitInterval: 'test' }
  const { writeCdrs, writeAlerts } = timeSeries(silent, options)
  const attempted_at = new Date('2026-02-24T13:11:51.969Z')
  const call = {
    account_sid,
    service_provider_sid,
    direction: 'inbound',
    host: '10.0.0.5',
    trunk: 'a, b = ü',
    from: '1508',
    to: '1888',
    remote_host: '3.3.3.3',
  }
  const call_sid = randomUUID()
  const terminated_at = attempted_at.getTime() + 45_000
  await writeCdrs([
    {
      ...call,
      call_sid,
      attempted_at,
      answered: true,
      answered_at: attempted_at.getTime(),
      duration: 45,
      sip_status: 200,
      sip_callid: 'x@y',
      terminated_at,
    },
    // The call failed before it had a call_sid.
    {
      ...call,
      attempted_at: new Date(attempted_at.getTime() - 1000),
      answered: false,
      duration: 0,
      sip_status: 487,
      sip_callid: 'z@y',
      terminated_at,
    },
  ])
  await writeAlerts({
    alert_type: 'webhook-failure',
    account_sid,
    service_provider_sid,
    url: 'http://foo.bar',
    status: 404,
  })
  await writeAlerts({ alert_type: 'service-provider-call-limit', service_provider_sid, count: 5 })

  const [calls, alerts] = await answers()
  expect(calls?.body).toMatchObject({
    total: 2,
    data: [
      {
        ...call,
        call_sid,
        answered: true,
        duration: 45,
        attempted_at: expect.stringMatching(/^2026-02-24T13:11:51\.969\d{6}Z$/),
        answered_at: '2026-02-24T13:11:51.969Z',
        terminated_at: '2026-02-24T13:12:36.969Z',
        recording_url: null,
      },
      {
        call_sid: null,
        answered: false,
        answered_at: null,
        sip_status: 487,
        attempted_at: expect.stringContaining(':50.969'),
      },
    ],
  })
  expect(alerts?.body).toMatchObject({
    total: 1,
    data: [
      { alert_type: 'webhook-failure', service_provider_sid, message: 'http://foo.bar returned 404', vendor: null },
    ],
  })
  const { body } = await api.admin.get(`/ServiceProviders/${service_provider_sid}/Alerts?page=1&count=25`)
  expect(body).toMatchObject({ total: 2, data: [{ account_sid: null, message: expect.stringContaining('5') }, {}] })
})

test('tags with the value undefined are treated as missing, and values of the wrong type are omitted', async () => {
  const owner = `service_provider_sid=undefined,account_sid=${account_sid}`
  await influx.write('cdrs', [
    `cdrs,trunk=undefined,${owner},answered=true duration=3,sip_status=4e12 1700000000000000000`,
  ])
  await influx.write('alerts', [`alerts,alert_type=no-carrier,${owner} message="none" 1700000000000000000`])
  const [calls, alerts] = await answers()
  const none = { service_provider_sid: null }
  expect(calls?.body).toMatchObject({ total: 1, data: [{ ...none, trunk: null, duration: 3, sip_status: null }] })
  expect(alerts?.body).toMatchObject({ total: 1, data: [{ ...none, message: 'none' }] })
})

test('search text never becomes part of the query', async () => {
  const foreign = await api.account(service_provider_sid)
  await influx.write('cdrs', [`cdrs,account_sid=${foreign},answered=true from="secret",duration=1 1700000000000000000`])
  for (const text of [
    `' OR account_sid = '${foreign}`,
    `x/ OR "from" =~ /.*`,
    '.*',
    '\\',
    '\n',
    '\u0000',
    '\ud800',
    '$owner',
    '"; DROP DATABASE cdrs',
  ])
    for (const member of ['filter', 'trunk', 'direction']) {
      const search = new URLSearchParams({ page: '1', count: '25', [member]: text.slice(0, 16) })
      const { status, body } = await api.admin.get(`/Accounts/${account_sid}/RecentCalls?${search.toString()}`)
      expect([member, text, status, body]).toMatchObject([member, text, 200, { total: 0, data: [] }])
    }
  const maxPeriod = '&start=0001-01-01T00:00:00Z&end=%2B275760-09-13T00:00:00Z'
  expect((await api.admin.get(`/Accounts/${foreign}/RecentCalls?page=1&count=25${maxPeriod}`)).body).toMatchObject({
    total: 1,
  })
})

describe('an unavailable InfluxDB', () => {
  const msg = 'The call data cannot be reached, please try again'
  const search = { owner: { account_sid: randomUUID() }, page: 1, pageSize: 25 }

  test('results in a 503 with a message, and other requests succeed', async () => {
    const away = await createTestApi({ JAMBONES_TIME_SERIES_HOST: '127.0.0.1:1' })
    const provider = await away.provider()
    for (const what of ['RecentCalls', 'Alerts']) {
      const { status, body } = await away.admin.get(`/ServiceProviders/${provider}/${what}?page=1&count=25`)
      expect([status, body]).toMatchObject([503, { msg, code: 'unavailable' }])
    }
    expect((await away.admin.get('/Users/me')).status).toBe(200)
    await away.close()
  })

  test('causes a timeout if it does not respond, and is used again afterwards', async () => {
    const impatient = createInfluxDb(`http://${influx.settings.JAMBONES_TIME_SERIES_HOST}`, 300)
    await influx.pause()
    await expect(createInfluxCalls(impatient).search(search)).rejects.toMatchObject({ status: 503, message: msg })
    await expect(createInfluxAlerts(impatient).search(search)).rejects.toMatchObject({ status: 503 })
    const signal = AbortSignal.abort()
    await expect(createInfluxCalls(impatient).search(search, { owner: 'a', signal })).rejects.toMatchObject({
      status: 499,
    })
    influx.resume()
    const patient = createInfluxDb(`http://${influx.settings.JAMBONES_TIME_SERIES_HOST}`)
    expect(await createInfluxCalls(patient).search(search)).toEqual({ total: 0, calls: [] })
  })

  test('that rejects the credentials results in a 503 that says so, and the log contains its response', async () => {
    const message = 'InfluxDB rejected the user root. Create it in InfluxDB like for the components of jambonz.'
    const calls = createInfluxCalls(createInfluxDb(`http://${influx.settings.JAMBONES_TIME_SERIES_HOST}`))
    await influx.setPassword('another')
    for (const { status, body } of await answers())
      expect([status, body]).toEqual([503, { msg: message, code: 'unavailable' }])
    const { cause } = (await calls.search(search).catch((error: unknown) => error)) as Error
    expect(errorForLog(cause)).toMatchObject({ message: 'InfluxDB answered 401 {"error":"authorization failed"}\n' })
    await influx.setPassword('root')
    await influx.write('cdrs', [`cdrs,account_sid=${account_sid} duration=1 1700000000000000000`])
    await influx.setPrivileges(false)
    await expect(calls.search(search)).rejects.toMatchObject({ status: 503, message })
    await influx.setPrivileges(true)
    expect(await calls.search(search)).toEqual({ total: 0, calls: [] })
  })

  test('is treated the same if its response is invalid', async () => {
    const other = createInfluxDb(`http://127.0.0.1:${influx.port}/nowhere`)
    await expect(createInfluxCalls(other).search(search)).rejects.toMatchObject({ status: 503 })
  })
})

test('calls of other tenants with the same id are found in a time window', async () => {
  const sip_callid = randomUUID()
  const other = await api.account(await api.provider())
  const sibling = await api.account(service_provider_sid)
  const line = (account: string, provider: string, call_sid: string, seconds: number) =>
    `cdrs,account_sid=${account},service_provider_sid=${provider} call_sid="${call_sid}",sip_callid="${sip_callid}",duration=1 ${seconds}000000000`
  const lines = [
    line(account_sid, service_provider_sid, 'own', 1_700_000_000),
    line(sibling, service_provider_sid, 'sibling', 1_700_000_001),
    line(other, randomUUID(), 'foreign', 1_700_000_002),
    line(other, randomUUID(), 'earlier', 1_600_000_000),
  ]
  await influx.write('cdrs', lines)
  const calls = createInfluxCalls(createInfluxDb(`http://127.0.0.1:${influx.port}`))
  const window = { from: 1_699_000_000_000, until: 1_701_000_000_000 }
  const foundBy = async (owner: { account_sid: string } | { service_provider_sid: string }) =>
    (await calls.findForeign(owner, [{ sip_callid }], window))
      .flat()
      .map(({ call_sid }) => call_sid ?? '')
      .toSorted((a, b) => a.localeCompare(b))
  expect(await foundBy({ account_sid })).toEqual(['foreign', 'sibling'])
  expect(await foundBy({ service_provider_sid })).toEqual(['foreign'])
})
