import { randomUUID } from 'node:crypto'
import { member } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRow, getRows, snapshot, sorted, statusAndMessage } from './fixtures.ts'

/** SIP and SMPP gateways, carrier templates, and the addresses of the platform. */

const { api, world } = await openTestWorld({ JAMBONZ_MIN_GATEWAY_NETMASK: '24' })

const carrier = async (body: object = {}) =>
  member(await api.admin.post('/VoipCarriers', { name: randomUUID(), ...body }), 'sid')

describe('SIP gateways', () => {
  test('API-066 API-067 API-068 API-069 CARRIERS-56 are added, listed, changed, and deleted', async () => {
    const voip_carrier_sid = await carrier()
    const add = await api.admin.post('/SipGateways', { voip_carrier_sid, ipv4: '192.168.1.1' })
    const sid = member(add, 'sid')
    const list = `/SipGateways?voip_carrier_sid=${voip_carrier_sid}`
    const row = {
      sip_gateway_sid: sid,
      voip_carrier_sid,
      ipv4: '192.168.1.1',
      port: 5060,
      netmask: 32,
      inbound: 1,
      outbound: 0,
      is_active: 1,
      protocol: 'udp',
      pad_crypto: 0,
      send_options_ping: 0,
      use_sips_scheme: 0,
      remove_ice: 0,
      dtls_off: 0,
    }
    expect(getRows(await api.admin.get(list))).toEqual([row])
    const { sip_gateway_sid: _sid, ...payload } = row
    const change = { ...payload, port: '5061', netmask: '24', protocol: 'tls/srtp', pad_crypto: true, remove_ice: 1 }
    expect((await api.admin.put(`/SipGateways/${sid}`, change)).status).toBe(204)
    expect((await api.admin.put(`/SipGateways/${sid}`, { remove_ice: false, dtls_off: true })).status).toBe(204)
    const changed = { ...row, port: 5061, netmask: 24, protocol: 'tls/srtp', pad_crypto: 1, remove_ice: 0, dtls_off: 1 }
    expect(getRow(await api.admin.get(`/SipGateways/${sid}`))).toEqual(changed)
    // Each of the other fields changes alone.
    const others = { ipv4: '192.168.1.2', outbound: 1, is_active: 0, send_options_ping: 1, use_sips_scheme: 1 }
    let expected: Record<string, unknown> = changed
    for (const [field, value] of Object.entries(others)) {
      expect([field, (await api.admin.put(`/SipGateways/${sid}`, { [field]: value })).status]).toEqual([field, 204])
      expected = { ...expected, [field]: value }
      expect(getRow(await api.admin.get(`/SipGateways/${sid}`))).toEqual(expected)
    }
    const outboundOnly = { inbound: 0, netmask: 32 }
    expect((await api.admin.put(`/SipGateways/${sid}`, outboundOnly)).status).toBe(204)
    expect(getRow(await api.admin.get(`/SipGateways/${sid}`))).toEqual({ ...expected, ...outboundOnly })
    expect((await api.admin.delete(`/SipGateways/${sid}`)).status).toBe(204)
    expect(getRows(await api.admin.get(list))).toEqual([])
    expect((await api.admin.delete(`/SipGateways/${sid}`)).status).toBe(404)
  })

  test.each([
    [{ netmask: 1 }, 'netmask required to have value equal or greater than 24'],
    [{ netmask: 0 }, 'netmask required to have value equal or greater than 24'],
    [{ ipv4: '10.0.0. 1' }, 'Gateway must not contain whitespace'],
    [{ ipv4: 'sip.example.com' }, 'Inbound gateway must be IPv4 address'],
    [{ ipv4: '10.0.0.1/32' }, 'Inbound gateway must be IPv4 address'],
    [{ ipv4: '10.0.0.256' }, 'Inbound gateway must be IPv4 address'],
    [{ inbound: false, outbound: true, netmask: 24 }, 'For outbound only gateway netmask can only be 32'],
    [{ port: 65_536 }, 'port must be a whole number from 0 to 65535'],
  ])('%j is rejected for new and existing gateways', async (wrong, msg) => {
    const voip_carrier_sid = await carrier()
    const sid = member(await api.admin.post('/SipGateways', { voip_carrier_sid, ipv4: '10.0.0.1' }), 'sid')
    const before = await snapshot(api)
    const add = await api.admin.post('/SipGateways', { voip_carrier_sid, ipv4: '10.0.0.1', ...wrong })
    expect(statusAndMessage(add)).toEqual([400, msg])
    expect(statusAndMessage(await api.admin.put(`/SipGateways/${sid}`, wrong))).toEqual([400, msg])
    expect(await snapshot(api)).toEqual(before)
  })

  test('a host name can be used without a port, and for outbound calls only', async () => {
    const voip_carrier_sid = await carrier()
    const body = { voip_carrier_sid, ipv4: 'sip.example.com', inbound: 0, outbound: 1, port: null }
    const sid = member(await api.admin.post('/SipGateways', body), 'sid')
    expect(getRow(await api.admin.get(`/SipGateways/${sid}`))).toMatchObject({ port: null, outbound: 1 })
    expect((await api.admin.put(`/SipGateways/${sid}`, { inbound: true })).status).toBe(400)
    expect((await api.admin.put(`/SipGateways/${sid}`, { port: 5080 })).status).toBe(204)
  })
})

test('API-070 API-071 API-072 API-073 CARRIERS-57 SMPP gateways are added, listed, changed, and deleted', async () => {
  const voip_carrier_sid = await carrier()
  const add = await api.admin.post('/SmppGateways', { voip_carrier_sid, ipv4: 'smpp.example.com' })
  const sid = member(add, 'sid')
  const row = {
    smpp_gateway_sid: sid,
    voip_carrier_sid,
    ipv4: 'smpp.example.com',
    port: 2775,
    netmask: 32,
    is_primary: 0,
    inbound: 1,
    outbound: 1,
    use_tls: 0,
  }
  const list = `/SmppGateways?voip_carrier_sid=${voip_carrier_sid}`
  expect(getRows(await api.admin.get(list))).toEqual([row])
  const change = { voip_carrier_sid, port: 5061, netmask: 24, outbound: false, use_tls: true }
  expect((await api.admin.put(`/SmppGateways/${sid}`, change)).status).toBe(204)
  const changed = { ...row, port: 5061, netmask: 24, outbound: 0, use_tls: 1 }
  expect(getRow(await api.admin.get(`/SmppGateways/${sid}`))).toEqual(changed)
  const others = { ipv4: '10.0.0.9', is_primary: 1, inbound: 0, outbound: 1 }
  let expected: Record<string, unknown> = changed
  for (const [field, value] of Object.entries(others)) {
    expect([field, (await api.admin.put(`/SmppGateways/${sid}`, { [field]: value })).status]).toEqual([field, 204])
    expected = { ...expected, [field]: value }
    expect(getRow(await api.admin.get(`/SmppGateways/${sid}`))).toEqual(expected)
  }
  expect((await api.admin.delete(`/SmppGateways/${sid}`)).status).toBe(204)
  expect(getRows(await api.admin.get(list))).toEqual([])
})

describe.each(['Sip', 'Smpp'] as const)('%sGateways and other tenants', (kind) => {
  const own = kind === 'Sip' ? 'sip_gateway_sid' : 'smpp_gateway_sid'

  test('a gateway cannot be moved to another carrier or added to a carrier of another tenant', async () => {
    const ofA = await signedIn(api, world.users['user of A'])
    const { A, A2 } = world.things
    const before = await snapshot(api)
    const moved = await ofA.put(`/${kind}Gateways/${A[own]}`, { voip_carrier_sid: A2.voip_carrier_sid })
    expect(statusAndMessage(moved)).toEqual([400, 'voip_carrier_sid may not be modified'])
    for (const voip_carrier_sid of [A2.voip_carrier_sid, randomUUID(), 'nonsense'])
      expect(statusAndMessage(await ofA.post(`/${kind}Gateways`, { voip_carrier_sid, ipv4: '10.0.0.1' }))).toEqual([
        403,
        'insufficient privileges',
      ])
    expect(statusAndMessage(await api.admin.get(`/${kind}Gateways`))).toEqual([400, 'missing voip_carrier_sid'])
    expect(statusAndMessage(await api.admin.post(`/${kind}Gateways`, { ipv4: '10.0.0.1' }))).toEqual([
      400,
      'missing voip_carrier_sid',
    ])
    expect(await snapshot(api)).toEqual(before)
  })

  test('an account can read the gateways of shared carriers but not change them', async () => {
    const voip_carrier_sid = await carrier({ service_provider_sid: world.sid.P })
    const sid = member(await api.admin.post(`/${kind}Gateways`, { voip_carrier_sid, ipv4: '10.0.0.1' }), 'sid')
    const ofA = await signedIn(api, world.users['user of A'])
    const ofB = await signedIn(api, world.users['user of B'])
    const list = `/${kind}Gateways?voip_carrier_sid=${voip_carrier_sid}`
    expect(getRows(await ofA.get(list))).toHaveLength(1)
    expect((await ofA.get(`/${kind}Gateways/${sid}`)).status).toBe(200)
    expect((await ofA.put(`/${kind}Gateways/${sid}`, { port: 1 })).status).toBe(403)
    expect((await ofA.delete(`/${kind}Gateways/${sid}`)).status).toBe(403)
    expect([(await ofB.get(list)).status, (await ofB.get(`/${kind}Gateways/${sid}`)).status]).toEqual([403, 403])
  })
})

describe('templates', () => {
  const twilio = '7d509a18-bbff-4c5d-b21e-b99bf8f8c49a'

  test('API-076 CARRIERS-58 can be read by all', async () => {
    const rows = getRows(await api.nobody.get('/PredefinedCarriers'))
    expect(rows.map((row) => row['name'])).toEqual(['Retell', 'Simwood', 'TelecomsXChange', 'Twilio', 'Voxbone'])
    expect(rows.every((row) => typeof row['predefined_carrier_sid'] === 'string')).toBe(true)
  })

  const copiedSettings = ['e164_leading_plus', 'requires_register', 'register_username', 'trunk_type'] as const

  const describeGateway = ({ ipv4, port, netmask, inbound, outbound }: Record<string, unknown>) =>
    JSON.stringify([ipv4, port, netmask, inbound, outbound])

  test('API-077 API-128 create a carrier with its gateways, for a provider or an account; a second one gets another name', async () => {
    const { P, A } = world.sid
    const make = async (path: string) => {
      const sid = member(await api.admin.post(`${path}/PredefinedCarriers/${twilio}`), 'sid')
      const row = getRow(await api.admin.get(`/VoipCarriers/${sid}`))
      const gateways = getRows(await api.admin.get(`/SipGateways?voip_carrier_sid=${sid}`))
      const settings = Object.fromEntries(copiedSettings.map((name) => [name, row[name]]))
      const { name, account_sid, service_provider_sid } = row
      return { name, account_sid, service_provider_sid, settings, gateways: sorted(gateways.map(describeGateway)) }
    }
    const template = api.test.database.db.selectFrom('predefined_sip_gateways').selectAll()
    const gateways = await template.where('predefined_carrier_sid', '=', twilio).execute()
    expect(gateways).toHaveLength(10)
    const settings = await api.test.database.db
      .selectFrom('predefined_carriers')
      .select(copiedSettings)
      .where('predefined_carrier_sid', '=', twilio)
      .executeTakeFirstOrThrow()
    expect(settings).toMatchObject({ e164_leading_plus: 1, register_username: '<your-twilio-credential-username>' })
    const ofP = {
      account_sid: null,
      service_provider_sid: P,
      settings,
      gateways: sorted(gateways.map(describeGateway)),
    }
    expect(await make(`/ServiceProviders/${P}`)).toEqual({ ...ofP, name: 'Twilio' })
    expect(await make(`/ServiceProviders/${P}`)).toEqual({ ...ofP, name: 'Twilio-2' })
    expect(await make(`/Accounts/${A}`)).toEqual({ ...ofP, account_sid: A, name: 'Twilio' })
    expect((await api.admin.post(`/Accounts/${A}/PredefinedCarriers/${randomUUID()}`)).status).toBe(404)
  })

  test('include SMPP gateways', async () => {
    const telecomsXChange = '17479288-bb9f-421a-89d1-f4ac57af1dca'
    const path = `/ServiceProviders/${world.sid.Q}/PredefinedCarriers/${telecomsXChange}`
    const sid = member(await api.admin.post(path), 'sid')
    const rows = getRows(await api.admin.get(`/SmppGateways?voip_carrier_sid=${sid}`))
    expect(sorted(rows.map(({ ipv4, port }) => [ipv4, port].join(':')))).toEqual([
      '174.136.44.11:2775',
      '174.136.44.213:2775',
      'smpp01.telecomsxchange.com:2776',
    ])
  })
})

describe('addresses of the platform', () => {
  test('API-074 a provider gets its own SBCs, or else the shared ones', async () => {
    const { P, Q } = world.sid
    const add = async (body: object) => member(await api.admin.post('/Sbcs', body), 'sid')
    const [ofAll, ofP] = [await add({ ipv4: '3.3.3.1' }), await add({ ipv4: '3.3.3.2', service_provider_sid: P })]
    const seen = async (caller: { get(path: string): ReturnType<typeof api.admin.get> }, query = '') =>
      getRows(await caller.get(`/Sbcs${query}`)).map(({ ipv4, port }) => [ipv4, port].join(':'))
    const [userOfP, userOfA, userOfQ] = [
      await signedIn(api, world.users['user of P']),
      await signedIn(api, world.users['user of A']),
      await signedIn(api, world.users['user of Q']),
    ]
    expect(await seen(api.admin)).toEqual(['3.3.3.1:5060'])
    expect(await seen(api.admin, `?service_provider_sid=${P}`)).toEqual(['3.3.3.2:5060'])
    expect(await seen(userOfP)).toEqual(['3.3.3.2:5060'])
    expect(await seen(userOfA, `?service_provider_sid=${Q}`)).toEqual(['3.3.3.2:5060'])
    expect(await seen(userOfQ, `?service_provider_sid=${P}`)).toEqual(['3.3.3.1:5060'])
    for (const sid of [ofAll, ofP]) expect((await api.admin.delete(`/Sbcs/${sid}`)).status).toBe(204)
    expect((await api.admin.delete(`/Sbcs/${ofAll}`)).status).toBe(404)
    expect((await api.admin.delete('/Sbcs/nonsense')).status).toBe(404)
  })

  test('API-075 SMPP addresses are the shared ones, or those of the own provider if requested', async () => {
    const { P, Q } = world.sid
    await api.admin.post('/Smpps', { ipv4: '4.4.4.1', port: 2775, use_tls: true })
    await api.admin.post('/Smpps', { ipv4: '4.4.4.2', service_provider_sid: P })
    const userOfA = await signedIn(api, world.users['user of A'])
    const seen = async (query: string) => getRows(await userOfA.get(`/Smpps${query}`))
    expect(await seen('')).toMatchObject([{ ipv4: '4.4.4.1', port: 2775, use_tls: 1 }])
    expect(await seen(`?service_provider_sid=${P}`)).toMatchObject([{ ipv4: '4.4.4.2' }])
    expect(await seen(`?service_provider_sid=${Q}`)).toMatchObject([{ ipv4: '4.4.4.2' }])
  })
})
