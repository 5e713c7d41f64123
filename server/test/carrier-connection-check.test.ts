import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConnectionCheck } from '@patchbay/contract/carrier-connection-check'
import { maxCheckedGateways } from '@patchbay/contract/shared/connection-check'
import {
  maxConnectionChecksPerHour,
  maxConnectionChecksPerMinute,
} from '@patchbay/server/resources/voip-carriers/connection-check-routes'
import { createCertificate } from '@patchbay/testkit/fakes/certificate'
import { type SipPeer, sipResponse, startTcpPeer, startTlsPeer, startUdpPeer } from '@patchbay/testkit/peers/sip-peers'
import { type SippCarrier, startSippCarrier } from '@patchbay/testkit/peers/sipp'
import { freePort, freeUdpPort, loopbackNetwork } from '@patchbay/testkit/servers/ports'
import { type Caller, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { callRecord, nanosecondsAt, statusAndMessage } from './fixtures.ts'

/** Tests connection checks with SIPp and other real SIP peers on this machine. */

let api: TestApi
let sipp: SippCarrier
let service_provider_sid: string
let account_sid: string
const peers: SipPeer[] = []

beforeAll(async () => {
  api = await createTestApi({ PRIVATE_NETWORKS: loopbackNetwork })
  sipp = await startSippCarrier()
  service_provider_sid = await api.provider()
  account_sid = await api.account(service_provider_sid)
})
afterAll(async () => {
  await Promise.all([api.close(), sipp.stop(), ...peers.map((peer) => peer.stop())])
})

const started = async (starting: Promise<SipPeer>): Promise<number> => {
  const peer = await starting
  peers.push(peer)
  return peer.port
}

const createCarrier = async (sip_gateways: readonly object[], more: object = {}, on = api) => {
  const carrier = { name: `carrier ${randomUUID()}`, service_provider_sid, ...more }
  const created = await on.admin.post('/patchbay/carriers', { carrier, sip_gateways })
  return { name: carrier.name, sid: member(created, 'voip_carrier_sid') }
}

const outbound = { ipv4: '127.0.0.1', inbound: false, outbound: true }

const post = (caller: Caller, sid: string) => caller.post(`/patchbay/carriers/${sid}/connection-check`)

// The cast is safe: the app itself checks responses against the contract.
const check = async (sid: string, caller = api.admin) => (await post(caller, sid)).body as ConnectionCheck

describe('a connection check', () => {
  test('reports the response of SIPp to OPTIONS over UDP', async () => {
    const { sid } = await createCarrier([{ ...outbound, port: sipp.port }])
    const { gateways, gateway_count, registration, last_call_at, checked_at } = await check(sid)
    expect(gateways).toMatchObject([
      {
        ipv4: '127.0.0.1',
        port: sipp.port,
        transport: 'udp',
        outbound: true,
        source: 'literal',
        addresses: [`127.0.0.1:${sipp.port}`],
        response: { status: 200, reason: 'OK', address: `127.0.0.1:${sipp.port}` },
        failure: null,
      },
    ])
    expect({ gateway_count, registration, last_call_at }).toEqual({
      gateway_count: 1,
      registration: null,
      last_call_at: null,
    })
    expect(Date.now() - Date.parse(checked_at)).toBeLessThan(60_000)
  })

  test('uses the protocol of each gateway, and reports each failure', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'patchbay-check-'))
    const { cert, key } = createCertificate(folder, 'carrier')
    const credentials = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
    rmSync(folder, { recursive: true })
    const forbid = (request: string) => sipResponse(request, '403 Forbidden')
    const tcp = await started(startTcpPeer((request, socket) => socket.write(forbid(request))))
    const tls = await started(startTlsPeer(credentials, (request, socket) => socket.write(forbid(request))))
    const silent = await started(startUdpPeer(() => {}))
    const web = await started(startTcpPeer((_, socket) => socket.write('HTTP/1.1 400 Bad Request\r\n\r\n')))
    const ports = { tcp, tls, silent, web, closedTcp: await freePort(), closedUdp: await freeUdpPort() }
    const { sid } = await createCarrier([
      { ...outbound, port: ports.tcp, protocol: 'tcp' },
      { ...outbound, port: ports.tls, protocol: 'tls/srtp' },
      { ...outbound, port: ports.silent, protocol: 'udp' },
      { ...outbound, port: ports.web, protocol: 'tcp' },
      { ...outbound, port: ports.closedTcp, protocol: 'tcp' },
      { ...outbound, port: ports.closedUdp },
      { ...outbound, ipv4: 'sip.carrier.invalid', port: null },
      { ...outbound, ipv4: '10.1.2.3', port: 5060 },
    ])
    const { gateways } = await check(sid)
    const byPort = new Map(
      gateways.map(({ ipv4, port, response, failure }) => [`${ipv4} ${port}`, response?.status ?? failure?.code]),
    )
    expect(Object.fromEntries(byPort)).toEqual({
      [`127.0.0.1 ${ports.tcp}`]: 403,
      [`127.0.0.1 ${ports.tls}`]: 'certificate_invalid',
      [`127.0.0.1 ${ports.silent}`]: 'timeout',
      [`127.0.0.1 ${ports.web}`]: 'malformed_response',
      [`127.0.0.1 ${ports.closedTcp}`]: 'refused',
      [`127.0.0.1 ${ports.closedUdp}`]: 'refused',
      'sip.carrier.invalid null': 'not_resolved',
      '10.1.2.3 5060': 'address_not_allowed',
    })
    // Callers who do not run the server learn only whether address, name, certificate, and SIP are right.
    const startedAt = performance.now()
    const { caller } = await api.user({ service_provider_sid })
    const own = await check(sid, caller)
    expect(performance.now() - startedAt).toBeGreaterThan(2900)
    const ownByPort = own.gateways.map(({ ipv4, port, response, failure }) => [
      `${ipv4} ${port}`,
      response?.status ?? failure,
    ])
    const hidden = { code: 'no_response', detail: null }
    expect(Object.fromEntries(ownByPort)).toEqual({
      [`127.0.0.1 ${ports.tcp}`]: 403,
      [`127.0.0.1 ${ports.tls}`]: { code: 'certificate_invalid', detail: expect.any(String) },
      [`127.0.0.1 ${ports.silent}`]: hidden,
      [`127.0.0.1 ${ports.web}`]: hidden,
      [`127.0.0.1 ${ports.closedTcp}`]: hidden,
      [`127.0.0.1 ${ports.closedUdp}`]: hidden,
      'sip.carrier.invalid null': { code: 'not_resolved', detail: null },
      '10.1.2.3 5060': { code: 'address_not_allowed', detail: null },
    })
  })

  test('takes as long for a closed port as for a filtered one', async () => {
    const { sid } = await createCarrier([{ ...outbound, port: await freePort(), protocol: 'tcp' }])
    const { caller } = await api.user({ service_provider_sid })
    const startedAt = performance.now()
    expect((await check(sid, caller)).gateways).toMatchObject([{ failure: { code: 'no_response' } }])
    expect(performance.now() - startedAt).toBeGreaterThan(2900)
  })

  test('sends the request to the outbound proxy of the carrier, and names the gateway in it', async () => {
    const requests: string[] = []
    const port = await started(
      startTcpPeer((request, socket) => {
        requests.push(request)
        socket.write(sipResponse(request, '200 OK'))
      }),
    )
    const proxy = `sip:127.0.0.1:${port};transport=tcp`
    const gateways = [
      { ...outbound, ipv4: 'sip.carrier.invalid', port: 5070 },
      { ...outbound, inbound: true, outbound: false, port: sipp.port },
    ]
    const { sid } = await createCarrier(gateways, { outbound_sip_proxy: proxy })
    const result = await check(sid)
    expect(result.gateways).toMatchObject([
      {
        ipv4: 'sip.carrier.invalid',
        outbound_sip_proxy: proxy,
        transport: 'tcp',
        response: { status: 200, address: `127.0.0.1:${port}` },
      },
      { ipv4: '127.0.0.1', outbound_sip_proxy: null, response: { address: `127.0.0.1:${sipp.port}` } },
    ])
    expect(requests).toEqual([
      expect.stringMatching(/^OPTIONS sip:sip\.carrier\.invalid:5070 SIP\/2\.0\r\nVia: SIP\/2\.0\/TCP /),
    ])

    const wrong = await createCarrier(gateways.slice(0, 1), { outbound_sip_proxy: 'a b' })
    expect((await check(wrong.sid)).gateways).toMatchObject([{ failure: { code: 'invalid_address' } }])
    const inside = await createCarrier(gateways.slice(0, 1), { outbound_sip_proxy: '10.1.2.3' })
    expect((await check(inside.sid)).gateways).toMatchObject([{ failure: { code: 'address_not_allowed' } }])
  })

  test('skips inactive gateways and networks, and checks outbound gateways first', async () => {
    const inbound = { inbound: true, outbound: false }
    const { sid } = await createCarrier([
      { ...inbound, ipv4: '127.0.0.0', netmask: 24, port: sipp.port },
      { ...outbound, port: sipp.port },
      { ...outbound, ipv4: '127.0.0.2', port: sipp.port, is_active: false },
    ])
    const { gateways, gateway_count } = await check(sid)
    expect(gateway_count).toBe(2)
    expect(gateways).toMatchObject([
      { ipv4: '127.0.0.1', response: { status: 200 } },
      { ipv4: '127.0.0.0', source: null, response: null, failure: null },
    ])
  })

  test('checks at most 20 gateways', async () => {
    const { sid } = await createCarrier(
      Array.from({ length: 25 }, (_, index) => ({ ...outbound, ipv4: `10.0.0.${index}`, port: 5060 })),
    )
    const { gateways, gateway_count } = await check(sid)
    expect([gateways.length, gateway_count]).toEqual([20, 25])
  })

  test('includes the registration, the calls, and the latest call that the caller may see', async () => {
    const registration = { requires_register: true, register_username: 'u', register_password: 'p' }
    const { sid, name } = await createCarrier([], {
      ...registration,
      register_sip_realm: 'sip.example.org',
      account_sid,
    })
    const status = JSON.stringify({ status: 'fail', reason: '403 Forbidden' })
    await api.test.database.db
      .updateTable('voip_carriers')
      .set({ register_status: status })
      .where('voip_carrier_sid', '=', sid)
      .execute()
    const attemptedAt = Date.now() - 1000
    await api.sinks.calls.store([
      callRecord(account_sid, { service_provider_sid, trunk: name, time: nanosecondsAt(attemptedAt), answered: true }),
    ])
    const result = await check(sid)
    expect(result).toMatchObject({
      gateways: [],
      registration: { state: 'failing', reason: '403 Forbidden' },
      calls: { attempts: 1, answered: 1 },
      last_call_at: new Date(attemptedAt).toISOString(),
    })
  })

  test('is limited to callers who can change the carrier', async () => {
    const own = await createCarrier([], { account_sid })
    const shared = await createCarrier([])
    const account = (await api.apiKey({ account_sid })).caller
    const other = (await api.apiKey({ account_sid: await api.account(service_provider_sid) })).caller
    const foreign = (await api.apiKey({ service_provider_sid: await api.provider() })).caller
    const viewer = (await api.user({ account_sid, is_view_only: true })).caller
    expect((await post(account, own.sid)).status).toBe(200)
    expect((await post(account, shared.sid)).status).toBe(403)
    for (const caller of [other, foreign, viewer]) expect((await post(caller, own.sid)).status).toBe(403)
    expect((await post(api.nobody, own.sid)).status).toBe(401)
  })

  test('is limited per minute', async () => {
    const { sid } = await createCarrier([], { account_sid: await api.account(service_provider_sid) })
    for (let count = 0; count < maxConnectionChecksPerMinute.account; count += 1)
      expect((await post(api.admin, sid)).status).toBe(200)
    expect(statusAndMessage(await post(api.admin, sid))[0]).toBe(429)
  })

  test('is limited per hour for a provider with all its accounts', async () => {
    const provider = await api.provider()
    const { caller } = await api.user({ service_provider_sid: provider })
    const statuses: number[] = []
    // Each account has requests of its own per minute.
    for (let account = 0; account < 16; account += 1) {
      const owner = { service_provider_sid: provider, account_sid: await api.account(provider) }
      const { sid } = await createCarrier([], owner)
      for (let count = 0; count < 4; count += 1) statuses.push((await post(caller, sid)).status)
    }
    expect(statuses.filter((status) => status === 200)).toHaveLength(maxConnectionChecksPerHour.provider)
    expect(statuses.slice(maxConnectionChecksPerHour.provider)).toEqual([429, 429, 429, 429])
  })
})

describe('a check of gateways that are not saved', () => {
  const checkUnsaved = (body: object, caller: Caller = api.admin) =>
    caller.post('/patchbay/carriers/connection-check', body)

  test('sends the requests of a check of saved ones, and stores nothing', async () => {
    const closed = await freeUdpPort()
    const body = {
      service_provider_sid,
      outbound_sip_proxy: null,
      gateways: [
        { ipv4: '127.0.0.1', port: sipp.port, outbound: true, protocol: 'udp' },
        { ipv4: '127.0.0.1', port: closed, outbound: false },
        { ipv4: '10.0.0.0', netmask: 24, outbound: false },
      ],
    }
    expect((await checkUnsaved(body)).body).toMatchObject({
      gateways: [
        { sip_gateway_sid: '', outbound: true, response: { status: 200 }, failure: null },
        { port: closed, outbound: false, response: null, failure: { code: 'refused' } },
        { ipv4: '10.0.0.0', response: null, failure: null },
      ],
    })
    const { caller } = await api.user({ service_provider_sid })
    const startedAt = performance.now()
    expect((await checkUnsaved(body, caller)).body).toMatchObject({
      gateways: [{ failure: null }, { failure: { code: 'no_response' } }, { failure: null }],
    })
    expect(performance.now() - startedAt).toBeGreaterThan(2900)
    const provider = await api.provider()
    await checkUnsaved({ ...body, service_provider_sid: provider })
    expect((await api.admin.get(`/ServiceProviders/${provider}/VoipCarriers`)).body).toEqual([])
  })

  test('rejects bad input at its field, and more gateways than a check has', async () => {
    const gateway = { ipv4: '127.0.0.1' }
    for (const [gateways, field] of [
      [[], 'gateways'],
      [Array.from({ length: maxCheckedGateways + 1 }, () => gateway), 'gateways'],
      [[{ ...gateway, port: 70_000 }], 'gateways.0.port'],
      [[{ port: 5060 }], 'gateways.0.ipv4'],
      [[{ ...gateway, is_active: true }], 'gateways.0.is_active'],
    ] as const) {
      const { status, body } = await checkUnsaved({ service_provider_sid, gateways })
      expect([status, body]).toEqual([400, expect.objectContaining({ field })])
    }
  })

  test('is counted with the checks of saved ones, and denied for another tenant', async () => {
    const account = await api.account(service_provider_sid)
    const { caller } = await api.user({ service_provider_sid, account_sid: account })
    const gateways = [{ ipv4: '10.0.0.0', netmask: 24, outbound: false }]
    const statuses: number[] = []
    for (let nth = 0; nth <= maxConnectionChecksPerMinute.account; nth += 1)
      statuses.push((await checkUnsaved({ gateways }, caller)).status)
    expect(statuses.filter((status) => status !== 200)).toEqual([429])
    const { caller: provider } = await api.user({ service_provider_sid })
    const foreign = await api.account(await api.provider())
    expect((await checkUnsaved({ gateways, account_sid: foreign }, provider)).body).toMatchObject({
      field: 'account_sid',
    })
    const viewer = (await api.user({ service_provider_sid, is_view_only: true })).caller
    expect((await checkUnsaved({ gateways, service_provider_sid }, viewer)).status).toBe(403)
  })
})

test('without PRIVATE_NETWORKS, no request is sent to addresses of this machine', async () => {
  const plain = await createTestApi()
  const provider = await plain.provider()
  const peer = await startUdpPeer((request, from, socket) => socket.send(sipResponse(request), from.port, from.address))
  try {
    const { sid } = await createCarrier([{ ...outbound, port: peer.port }], { service_provider_sid: provider }, plain)
    const { gateways } = (await post(plain.admin, sid)).body as ConnectionCheck
    expect(gateways[0]?.failure?.code).toBe('address_not_allowed')
    expect(peer.requests).toEqual([])
  } finally {
    await peer.stop()
    await plain.close()
  }
})
