import { randomUUID } from 'node:crypto'
import { createTestApi, member } from '@patchbay/testkit/test-api'
import { createWorld, openTestWorld, signedIn, type World } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRow, getRows, snapshot, sorted, statusAndMessage } from './fixtures.ts'

/** Saving a carrier with its gateways in one request: the extension below /patchbay/carriers. */

const { api, world } = await openTestWorld()

const listGateways = async (kind: 'Sip' | 'Smpp', sid: string) =>
  getRows(await api.admin.get(`/${kind}Gateways?voip_carrier_sid=${sid}`))

test('a carrier is created and changed with its gateways, and absent gateways remain', async () => {
  const response = await api.admin.post('/patchbay/carriers', {
    carrier: { name: 'whole', service_provider_sid: world.sid.P },
    sip_gateways: [{ ipv4: '10.0.0.1' }, { ipv4: 'sip.example.com', inbound: false, outbound: true, port: null }],
    smpp_gateways: [{ ipv4: 'smpp.example.com' }],
  })
  expect(response.status).toBe(201)
  const sid = member(response, 'voip_carrier_sid')
  const { sip_gateway_sids, smpp_gateway_sids } = getRow(response) as Record<string, string[]>
  const [first = '', second = ''] = sip_gateway_sids ?? []
  expect((await listGateways('Sip', sid)).map(({ sip_gateway_sid, ipv4 }) => [sip_gateway_sid, ipv4])).toEqual([
    [first, '10.0.0.1'],
    [second, 'sip.example.com'],
  ])
  expect(await listGateways('Smpp', sid)).toMatchObject([{ smpp_gateway_sid: smpp_gateway_sids?.[0] }])

  const changed = await api.admin.put(`/patchbay/carriers/${sid}`, {
    carrier: { name: 'whole and changed' },
    sip_gateways: [{ sip_gateway_sid: first, ipv4: '10.0.0.2' }, { ipv4: '10.0.0.3' }],
  })
  expect(changed.status).toBe(200)
  expect(getRow(await api.admin.get(`/VoipCarriers/${sid}`))['name']).toBe('whole and changed')
  expect(sorted((await listGateways('Sip', sid)).map(({ ipv4 }) => ipv4))).toEqual([
    '10.0.0.2',
    '10.0.0.3',
    'sip.example.com',
  ])
})

describe('an invalid part prevents the whole change and is named', () => {
  const wrongs: [string, (world: World) => object, string, string][] = [
    [
      'the second gateway',
      () => ({ sip_gateways: [{ ipv4: '10.0.0.1' }, { ipv4: 'sip.example.com' }] }),
      'sip_gateways.1.ipv4',
      'Inbound gateway must be IPv4 address',
    ],
    [
      'a gateway of another carrier',
      ({ things }) => ({ sip_gateways: [{ sip_gateway_sid: things.A2.sip_gateway_sid, ipv4: '10.0.0.1' }] }),
      'sip_gateways.0.sip_gateway_sid',
      'invalid sip_gateway_sid',
    ],
    [
      'an SMPP gateway of another carrier',
      ({ things }) => ({ smpp_gateways: [{ smpp_gateway_sid: things.A2.smpp_gateway_sid, ipv4: 'a.example' }] }),
      'smpp_gateways.0.smpp_gateway_sid',
      'invalid smpp_gateway_sid',
    ],
    [
      'a gateway that is none',
      () => ({ sip_gateways: [{ sip_gateway_sid: randomUUID(), ipv4: '10.0.0.1' }] }),
      'sip_gateways.0.sip_gateway_sid',
      'invalid sip_gateway_sid',
    ],
    ['another account', ({ sid }) => ({ carrier: { account_sid: sid.B } }), 'account_sid', 'unknown account_sid'],
  ]

  test.each(wrongs)('%s', async (_, wrong, field, msg) => {
    const ofP = await signedIn(api, world.users['user of P'])
    const body = { carrier: { name: 'half' }, sip_gateways: [{ ipv4: '10.0.0.9' }], ...wrong(world) }
    const { carrier } = body as { carrier: object }
    const before = await snapshot(api)
    const refused = { status: 400, body: { field, msg } }
    expect(await ofP.post('/patchbay/carriers', { ...body, carrier: { name: 'half', ...carrier } })).toMatchObject(
      refused,
    )
    expect(await ofP.put(`/patchbay/carriers/${world.things.A.voip_carrier_sid}`, body)).toMatchObject(refused)
    expect(await snapshot(api)).toEqual(before)
  })

  test('too many gateways and a malformed body are rejected', async () => {
    const many = Array.from({ length: 501 }, (_, index) => ({ ipv4: `10.0.${index >> 8}.${index & 255}` }))
    for (const body of [
      { carrier: { name: 'x' }, sip_gateways: many },
      { carrier: { name: 'x' }, sip_gateways: {} },
      {
        carrier: { name: 'x' },
        sip_gateways: [{ ipv4: '10.0.0.1', voip_carrier_sid: world.things.A.voip_carrier_sid }],
      },
      { name: 'x' },
    ])
      expect((await api.admin.post('/patchbay/carriers', body)).status).toBe(400)
  })
})

test('an update names only its own carrier, in the carrier and in its gateways', async () => {
  const { A, A2 } = world.things
  const path = `/patchbay/carriers/${A.voip_carrier_sid}`
  const gateway = { ipv4: '10.0.0.1', voip_carrier_sid: A2.voip_carrier_sid }
  const before = await snapshot(api)
  for (const [body, field] of [
    [{ carrier: { voip_carrier_sid: A2.voip_carrier_sid } }, 'voip_carrier_sid'],
    [{ sip_gateways: [gateway] }, 'sip_gateways.0.voip_carrier_sid'],
    [{ smpp_gateways: [{ ...gateway, ipv4: 'a.example' }] }, 'smpp_gateways.0.voip_carrier_sid'],
  ] as const) {
    const msg = 'voip_carrier_sid may not be modified'
    expect(await api.admin.put(path, body)).toMatchObject({ status: 400, body: { field, msg } })
  }
  expect(await snapshot(api)).toEqual(before)
})

test('concurrent writers leave a consistent carrier', async () => {
  const response = await api.admin.post('/patchbay/carriers', {
    carrier: { name: '0' },
    sip_gateways: [{ ipv4: '10.0.0.0' }],
  })
  const sid = member(response, 'voip_carrier_sid')
  const [sip_gateway_sid = ''] = (getRow(response) as { sip_gateway_sids: string[] }).sip_gateway_sids
  const all = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      api.admin.put(`/patchbay/carriers/${sid}`, {
        carrier: { name: String(index) },
        sip_gateways: [{ sip_gateway_sid, ipv4: `10.0.0.${index}` }],
      }),
    ),
  )
  expect(all.map(({ status }) => status)).toEqual(all.map(() => 200))
  const { name } = getRow(await api.admin.get(`/VoipCarriers/${sid}`))
  expect(await listGateways('Sip', sid)).toMatchObject([{ ipv4: `10.0.0.${String(name)}` }])
})

test('references to a carrier are counted and named before its deletion', async () => {
  const { db } = api.test.database
  const voip_carrier_sid = member(await api.admin.post('/VoipCarriers', { name: 'used' }), 'sid')
  const usedBy = () => api.admin.get(`/patchbay/carriers/${voip_carrier_sid}/used-by`)
  const none = { total: 0, first: [] }
  expect((await usedBy()).body).toEqual({ phone_numbers: none, lcrs: none })
  const numbers = Array.from({ length: 12 }, (_, index) => ({
    phone_number_sid: randomUUID(),
    number: `15550${String(index).padStart(2, '0')}`,
    voip_carrier_sid,
  }))
  await db.insertInto('phone_numbers').values(numbers).execute()
  const lcr_sid = randomUUID()
  await db.insertInto('lcr').values({ lcr_sid, name: null }).execute()
  for (const regex of ['1', '2']) {
    const lcr_route_sid = randomUUID()
    await db.insertInto('lcr_routes').values({ lcr_route_sid, lcr_sid, regex, priority: 0 }).execute()
    const entry = { lcr_carrier_set_entry_sid: randomUUID(), lcr_route_sid, voip_carrier_sid }
    await db.insertInto('lcr_carrier_set_entry').values(entry).execute()
  }
  const { phone_numbers, lcrs } = getRow(await usedBy()) as Record<string, { total: number; first: object[] }>
  expect(phone_numbers).toMatchObject({
    total: 12,
    first: numbers.slice(0, 10).map(({ number }) => ({ name: number })),
  })
  expect(lcrs).toEqual({ total: 1, first: [{ sid: lcr_sid, name: '' }] })
})

test('the gateways of a page of carriers are counted in one request, for usable carriers only', async () => {
  const its = await createWorld(api)
  const { A, A2, B } = its.things
  const ofP = member(
    await api.admin.post('/patchbay/carriers', {
      carrier: { name: 'shared', service_provider_sid: its.sid.P },
      sip_gateways: [
        { ipv4: '10.0.0.1', outbound: true },
        { ipv4: 'a.example', inbound: false, outbound: true },
      ],
    }),
    'voip_carrier_sid',
  )
  const empty = member(await api.admin.post('/VoipCarriers', { name: 'empty', account_sid: its.sid.A }), 'sid')
  const requestedSids = [A.voip_carrier_sid, A2.voip_carrier_sid, B.voip_carrier_sid, ofP, empty]
  const counts = async (name: 'user of A' | 'user of P' | 'user of B') => {
    const caller = await signedIn(api, its.users[name])
    const rows = getRows(await caller.get(`/patchbay/gateway-counts?voip_carrier_sid=${requestedSids.join(',')}`))
    return Object.fromEntries(rows.map((row) => [row['voip_carrier_sid'], [row['inbound'], row['outbound']]]))
  }
  const ofA = { [A.voip_carrier_sid]: [1, 0], [ofP]: [1, 2], [empty]: [0, 0] }
  expect(await counts('user of A')).toEqual(ofA)
  expect(await counts('user of P')).toEqual({ ...ofA, [A2.voip_carrier_sid]: [1, 0] })
  expect(await counts('user of B')).toEqual({ [B.voip_carrier_sid]: [1, 0] })
  const tooMany = Array.from({ length: 101 }, () => randomUUID()).join(',')
  for (const wrong of ['', 'x', tooMany])
    expect(statusAndMessage(await api.admin.get(`/patchbay/gateway-counts?voip_carrier_sid=${wrong}`))[0]).toBe(400)
})

test('an account cannot create more gateways with a carrier than its limit', async () => {
  const limited = await createTestApi({ APPLY_JAMBONZ_DB_LIMITS: 'yes' })
  try {
    const its = await createWorld(limited)
    const ofA = await signedIn(limited, its.users['user of A'])
    const body = (count: number) => ({
      carrier: { name: 'x' },
      sip_gateways: Array.from({ length: count }, (_, index) => ({ ipv4: `10.0.0.${index}` })),
    })
    // The account already has one gateway.
    expect((await ofA.post('/patchbay/carriers', body(150))).status).toBe(422)
    expect((await ofA.post('/patchbay/carriers', body(149))).status).toBe(201)
    const { voip_carrier_sid } = its.things.A
    expect((await ofA.post('/SipGateways', { voip_carrier_sid, ipv4: '10.0.0.1' })).status).toBe(422)
  } finally {
    await limited.close()
  }
})
