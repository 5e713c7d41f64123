import { createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { getRow, getRows, statusAndMessage } from './fixtures.ts'

/** Databases of older platforms, which lack columns of gateways and carriers, or the table of SMPP gateways. */

let api: TestApi
let voip_carrier_sid: string

beforeAll(async () => {
  const missing = [
    ['sip_gateways', 'remove_ice'],
    ['sip_gateways', 'dtls_off'],
    ['voip_carriers', 'smpp_system_id'],
  ] as const
  api = await createTestApi({}, undefined, {}, missing)
  const service_provider_sid = await api.provider()
  voip_carrier_sid = member(await api.admin.post('/VoipCarriers', { name: 'trunk', service_provider_sid }), 'sid')
})
afterAll(() => api.close())

const gateway = { ipv4: '192.0.2.7', outbound: true }

test('gateways are created, changed, and read, and the missing flags are off', async () => {
  const flags = { remove_ice: false, dtls_off: false }
  const sid = member(await api.admin.post('/SipGateways', { ...gateway, voip_carrier_sid, ...flags }), 'sid')
  expect((await api.admin.put(`/SipGateways/${sid}`, { ...flags, port: 5080 })).status).toBe(204)
  const expected = { sip_gateway_sid: sid, port: 5080, remove_ice: 0, dtls_off: 0 }
  expect(getRow(await api.admin.get(`/SipGateways/${sid}`))).toMatchObject(expected)
  expect(getRows(await api.admin.get(`/SipGateways?voip_carrier_sid=${voip_carrier_sid}`))).toEqual([
    expect.objectContaining(expected),
  ])
  expect((await api.admin.put(`/SipGateways/${sid}`, flags)).status).toBe(204)
  expect((await api.admin.delete(`/SipGateways/${sid}`)).status).toBe(204)
})

test('a flag that the database cannot store is rejected at its field, and nothing is stored', async () => {
  const response = await api.admin.post('/SipGateways', { ...gateway, voip_carrier_sid, remove_ice: true })
  expect([...statusAndMessage(response), getRow(response)['field']]).toEqual([
    400,
    "remove_ice needs a newer version of the platform's database",
    'remove_ice',
  ])
  const whole = await api.admin.post('/patchbay/carriers', {
    carrier: { name: 'whole' },
    sip_gateways: [{ ...gateway, dtls_off: true }],
    smpp_gateways: [],
  })
  expect([whole.status, getRow(whole)['field']]).toEqual([400, 'sip_gateways.0.dtls_off'])
  expect(getRows(await api.admin.get(`/SipGateways?voip_carrier_sid=${voip_carrier_sid}`))).toEqual([])
})

test('a carrier is read and written without the missing column', async () => {
  const path = `/VoipCarriers/${voip_carrier_sid}`
  expect((await api.admin.put(path, { smpp_system_id: null, dtmf_type: 'info' })).status).toBe(204)
  expect(getRow(await api.admin.get(path))).toMatchObject({ smpp_system_id: null, dtmf_type: 'info' })
  const rejected = await api.admin.put(path, { smpp_system_id: 'esme' })
  expect([rejected.status, getRow(rejected)['field']]).toEqual([400, 'smpp_system_id'])
})

test('a carrier is read and written with its version without the table of SMPP gateways', async () => {
  const older = await createTestApi({}, undefined, {}, [['smpp_gateways']])
  onTestFinished(() => older.close())
  const service_provider_sid = await older.provider()
  const sid = member(await older.admin.post('/VoipCarriers', { name: 'trunk', service_provider_sid }), 'sid')
  const path = `/patchbay/carriers/${sid}`
  const read = await older.admin.get(path)
  expect([read.status, getRow(read)]).toMatchObject([200, { carrier: { name: 'trunk' }, smpp_gateways: [] }])
  const change = { carrier: { name: 'renamed' }, sip_gateways: [gateway] }
  const condition = { 'if-match': String(read.headers['record-version']) }
  expect((await older.admin.put(path, change, condition)).status).toBe(200)
  expect((await older.admin.put(path, change, condition)).status).toBe(412)
})
