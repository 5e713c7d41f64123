import { calledNumber } from '@patchbay/rules/phone-number/patterns'
import { describe, expect, test } from 'vitest'
import { cidrContains } from './gateway-order.ts'
import { routeInbound } from './inbound.ts'
import type { InboundAccount, InboundFacts, InboundGateway, InboundNumber } from './inbound-model.ts'
import { isNumberPattern, patternMatch } from './number-patterns.ts'

const account = (account_sid: string, more: Partial<InboundAccount> = {}): InboundAccount => ({
  account_sid,
  service_provider_sid: 'P',
  is_active: true,
  device_calling_application_sid: null,
  ...more,
})

const gateway = (
  voip_carrier_sid: string,
  at: `${string}/${number}`,
  carrier: Partial<InboundGateway['carrier']> = {},
): InboundGateway => {
  const [ipv4 = '', bits] = at.split('/')
  return {
    sip_gateway_sid: `${voip_carrier_sid} ${at}`,
    voip_carrier_sid,
    ipv4,
    netmask: Number(bits),
    is_inbound: true,
    carrier: {
      account_sid: null,
      service_provider_sid: 'P',
      application_sid: `app of ${voip_carrier_sid}`,
      is_active: true,
      requires_register: false,
      register_sip_realm: null,
      register_username: null,
      ...carrier,
    },
  }
}

const row = (number: string, voip_carrier_sid: string, more: Partial<InboundNumber> = {}): InboundNumber => ({
  phone_number_sid: `${number} on ${voip_carrier_sid}`,
  number,
  voip_carrier_sid,
  account_sid: 'A',
  application_sid: `app of ${number}`,
  ...more,
})

const A = account('A')
const noFacts: InboundFacts = {
  realmAccount: undefined,
  deviceAccount: undefined,
  authTrunks: [],
  gateways: [],
  numbers: [],
  accounts: new Map([
    ['A', A],
    ['B', account('B')],
    ['off', account('off', { is_active: false })],
  ]),
  onlyAccounts: new Map(),
  teamsTenant: undefined,
}

const call = { source: '10.0.0.9', number: '+15083084809', realm: '3.3.3.3' }

/** Returns the outcome as one line, and the kinds of the routing steps. */
const routed = (facts: Partial<InboundFacts>, more: Partial<typeof call> = {}) => {
  const { steps, end } = routeInbound({ ...call, ...more }, { ...noFacts, ...facts })
  const kinds = steps.map(({ is }) => is).join(' ')
  const version = end.isVersionDependent ? ', by version' : ''
  if (end.is === 'refused') return [`${end.status} ${end.why}${version}`, kinds]
  const { gateway: by, account: of, row: number, application_sid, isByChance } = end
  const parts = [by?.voip_carrier_sid, of?.account_sid, number?.number, application_sid, isByChance && 'by chance']
  return [parts.map((word) => word || '-').join(', ') + version, kinds]
}

describe('cidrContains', () => {
  test.each([
    ['10.0.0.9', 32, '10.0.0.9', true],
    ['10.0.0.8', 32, '10.0.0.9', false],
    ['10.0.0.0', 24, '10.0.0.255', true],
    ['10.0.0.200', 24, '10.0.0.1', true],
    ['10.0.0.0', 24, '10.0.1.0', false],
    ['10.0.0.8', 30, '10.0.0.11', true],
    ['10.0.0.8', 30, '10.0.0.12', false],
    ['200.0.0.0', 1, '255.255.255.255', true],
    ['0.0.0.0', 0, '255.255.255.255', true],
    ['sip.example.com', 32, '10.0.0.9', false],
    ['10.0.0.9', 32, 'sip.example.com', false],
  ])('%s/%i contains %s: %s', (ipv4, netmask, address, is) => {
    expect(cidrContains({ ipv4, netmask }, address)).toBe(is)
  })
})

describe('numbers and patterns', () => {
  test.each([
    ['1508', false],
    ['1508*', true],
    ['^1508', true],
    ['+1508', true],
  ])('%s is a pattern: %s', (number, is) => {
    expect(isNumberPattern(number)).toBe(is)
  })

  test.each([
    ['1508*', '15083084809', 'matched'],
    ['508*', '15083084809', 'matched'],
    ['^508', '15083084809', 'unmatched'],
    ['(', '15083084809', 'invalid'],
    ['1*', '2', 'unmatched'],
    ['^1*$', '1234', 'unmatched'],
  ])('%s matched against %s: %s', (pattern, number, is) => {
    expect(patternMatch(pattern, number)).toBe(is)
  })

  test('removes one leading +', () => {
    expect([calledNumber('+44'), calledNumber('++44'), calledNumber('44')]).toEqual(['44', '+44', '44'])
  })
})

const own = gateway('own', '10.0.0.9/32', { account_sid: 'A', application_sid: null })
const shared = gateway('shared', '10.0.0.9/32')
const range = gateway('range', '10.0.0.0/24')
const wide = gateway('wide', '10.0.0.0/8')
const number = '15083084809'

describe('by address', () => {
  test.each([
    [
      'the number on its carrier',
      { gateways: [shared], numbers: [row(number, 'shared')] },
      `shared, A, ${number}, app of ${number}, -`,
    ],
    [
      'the carrier’s application where the number has none',
      { gateways: [shared], numbers: [row(number, 'shared', { application_sid: null })] },
      `shared, A, ${number}, app of shared, -`,
    ],
    [
      'the number on a network, although another carrier has the address, which depends on the version',
      { gateways: [range, shared], numbers: [row(number, 'range')] },
      `range, A, ${number}, app of ${number}, -, by version`,
    ],
    [
      'the number on the address, beside a network',
      { gateways: [range, shared], numbers: [row(number, 'shared')] },
      `shared, A, ${number}, app of ${number}, -`,
    ],
    [
      'the number on an address and on a network, which depends on the version',
      { gateways: [range, shared], numbers: [row(number, 'range'), row(number, 'shared')] },
      '503 several_numbers, by version',
    ],
    [
      'the carrier of an account with the address before that of its provider',
      { gateways: [shared, own], onlyAccounts: new Map([['P', A]]) },
      'own, A, -, -, -',
    ],
    [
      'a number without an account',
      { gateways: [shared], numbers: [row(number, 'shared', { account_sid: null })] },
      '500 no_account',
    ],
    [
      'a pattern without an account',
      { gateways: [shared], numbers: [row('508*', 'shared', { account_sid: null })] },
      '500 no_account',
    ],
    ['a gateway for outbound calls is none', { gateways: [{ ...shared, is_inbound: false }] }, '404 unknown_realm'],
    [
      'the narrowest network first',
      { gateways: [wide, range], onlyAccounts: new Map([['P', A]]) },
      'range, A, -, app of range, -',
    ],
    [
      'a number on another of them',
      { gateways: [own, shared], numbers: [row(number, 'own')] },
      `own, A, ${number}, app of ${number}, -`,
    ],
    [
      'the same number on two',
      { gateways: [own, shared], numbers: [row(number, 'own'), row(number, 'shared')] },
      '503 several_numbers',
    ],
    ['a pattern', { gateways: [shared], numbers: [row('508*', 'shared')] }, 'shared, A, 508*, app of 508*, -'],
    [
      'the longest pattern',
      { gateways: [shared], numbers: [row('5*', 'shared'), row('^1508', 'shared'), row('^2508309', 'shared')] },
      'shared, A, ^1508, app of ^1508, -',
    ],
    [
      'an invalid pattern is passed over',
      { gateways: [shared], numbers: [row('(((((((', 'shared'), row('^1', 'shared')] },
      'shared, A, ^1, app of ^1, -',
    ],
    [
      'of two as long any',
      { gateways: [shared], numbers: [row('^15', 'shared'), row('084', 'shared'), row('08.', 'shared')] },
      'shared, A, ^15, app of ^15, by chance',
    ],
    [
      'the one carrier of an account with an application',
      { gateways: [shared, gateway('its', '10.0.0.9/32', { account_sid: 'A' })] },
      'its, A, -, app of its, -',
    ],
    [
      'two such',
      { gateways: ['x', 'y'].map((sid) => gateway(sid, '10.0.0.9/32', { account_sid: 'A' })) },
      '503 several_carriers',
    ],
    [
      'the provider’s only account',
      { gateways: [shared], onlyAccounts: new Map([['P', A]]) },
      'shared, A, -, app of shared, -',
    ],
    [
      'the provider’s only account, through one of two carriers with the address',
      { gateways: [shared, gateway('other', '10.0.0.9/32')], onlyAccounts: new Map([['P', A]]) },
      'shared, A, -, app of shared, by chance',
    ],
    [
      'the provider’s only account, through the carrier with the narrower network',
      {
        gateways: [gateway('wide', '10.0.0.0/16'), gateway('narrow', '10.0.0.0/24')],
        onlyAccounts: new Map([['P', A]]),
      },
      'narrow, A, -, app of narrow, -',
    ],
    ['nothing', { gateways: [shared] }, '404 not_provisioned'],
    [
      'an inactive carrier is none',
      { gateways: [gateway('x', '10.0.0.9/32', { is_active: false })] },
      '404 unknown_realm',
    ],
    [
      'of an inactive account',
      { gateways: [shared], numbers: [row(number, 'shared', { account_sid: 'off' })] },
      '503 inactive_account',
    ],
    [
      'a carrier without a provider is none',
      { gateways: [gateway('x', '10.0.0.9/32', { account_sid: 'A', service_provider_sid: null })] },
      '404 unknown_realm',
    ],
    ['no carrier', {}, '404 unknown_realm'],
  ] as [string, Partial<InboundFacts>, string][])('%s', (_, facts, end) => {
    expect(routed(facts)[0]).toBe(end)
  })

  test('records each routing step', () => {
    expect(routed({ gateways: [shared], numbers: [row('^9', 'shared')] })[1]).toBe(
      'gateways numbers patterns default_carriers only_account',
    )
  })
})

describe('by name', () => {
  const realm = 'acme.example.com'
  const facts = { realmAccount: A, deviceAccount: A }
  test.each([
    [
      'the account’s own carriers and its provider’s for all',
      { gateways: [own, shared], numbers: [row(number, 'shared')] },
      `shared, A, ${number}, app of ${number}, -`,
    ],
    [
      'not those of others',
      {
        gateways: [
          gateway('x', '10.0.0.9/32', { account_sid: 'B' }),
          gateway('y', '10.0.0.9/32', { service_provider_sid: 'Q' }),
        ],
      },
      '-, A, -, -, -',
    ],
    [
      'not a number of another account',
      { gateways: [shared], numbers: [row(number, 'shared', { account_sid: 'B' })] },
      'shared, A, -, app of shared, -',
    ],
    [
      'but its application if the carrier has none',
      { gateways: [own], numbers: [row(number, 'own', { account_sid: 'B' })] },
      `own, A, -, app of ${number}, -`,
    ],
    [
      'a pattern of another account on a shared carrier, for that account',
      { gateways: [shared], numbers: [row('^1', 'shared', { account_sid: 'B' })] },
      'shared, B, ^1, app of ^1, -',
    ],
    [
      'a pattern of another account on a carrier of the account, for this account',
      { gateways: [own], numbers: [row('^1', 'own', { account_sid: 'B' })] },
      'own, A, ^1, app of ^1, -',
    ],
    [
      'a pattern of no account on a shared carrier',
      { gateways: [shared], numbers: [row('^1', 'shared', { account_sid: null })] },
      '500 no_account',
    ],
    ['networks as well', { gateways: [range] }, 'range, A, -, app of range, -'],
    ['the narrowest network first', { gateways: [range, shared] }, 'shared, A, -, app of shared, -'],
    ['the account’s own carrier of two with the address', { gateways: [shared, own] }, 'own, A, -, -, -'],
    [
      'any of two shared carriers with the address',
      { gateways: [shared, gateway('other', '10.0.0.9/32')] },
      'shared, A, -, app of shared, by chance',
    ],
    ['no carrier: its devices', {}, '-, A, -, -, -'],
  ] as [string, Partial<InboundFacts>, string][])('%s', (_, more, end) => {
    expect(routed({ ...facts, ...more }, { realm })[0]).toBe(end)
  })

  test('uses the application for device calls', () => {
    const withDevices = account('A', { device_calling_application_sid: 'devices' })
    expect(routed({ realmAccount: withDevices, deviceAccount: withDevices }, { realm })).toEqual([
      '-, A, -, devices, -',
      'realm gateways devices',
    ])
    expect(routed({ deviceAccount: withDevices }, { realm: 'sub.acme.example.com' })[1]).toBe(
      'realm registrations gateways devices',
    )
  })

  test.each([
    ['an unknown host', {}],
    ['a realm of an inactive account', { realmAccount: account('off', { is_active: false }) }],
  ])('uses the source address with %s', (_, more) => {
    expect(
      routed({ gateways: [shared], numbers: [row(number, 'shared')], ...more }, { realm: 'sip.example.net' }),
    ).toEqual([`shared, A, ${number}, app of ${number}, -`, 'realm registrations gateways numbers'])
  })

  test('asks a device or a trunk for credentials, which decide', () => {
    const trunks = ['named', 'plain'].map((sid) => ({ voip_carrier_sid: sid, name: sid, application_sid: null }))
    const { end } = routeInbound(
      { ...call, realm },
      { ...noFacts, ...facts, authTrunks: trunks, numbers: [row('508*', 'named')] },
    )
    expect(end).toMatchObject({
      is: 'taken',
      of: 'account',
      trunks: [
        { name: 'named', application_sid: 'app of 508*' },
        { name: 'plain', application_sid: null },
      ],
    })
  })

  const registers = {
    requires_register: true,
    register_sip_realm: 'carrier.example.com',
    register_username: '+15083084809',
    account_sid: 'A',
  }
  const registered = (sid: string, more: Partial<InboundGateway['carrier']> = {}) =>
    gateway(sid, '10.0.0.9/32', { ...registers, ...more })

  test.each<[string, Partial<InboundFacts>, string]>([
    [
      'the number on it',
      { gateways: [registered('reg')], numbers: [row(number, 'reg')] },
      `reg, A, ${number}, app of ${number}, -`,
    ],
    [
      'the number of another account only if the carrier has no application',
      { gateways: [registered('reg')], numbers: [row(number, 'reg', { account_sid: 'B' })] },
      'reg, A, -, app of reg, -',
    ],
    [
      'the number of another account',
      {
        gateways: [registered('reg', { application_sid: null })],
        numbers: [row(number, 'reg', { account_sid: 'B' })],
      },
      `reg, A, -, app of ${number}, -`,
    ],
    [
      'a pattern',
      { gateways: [registered('reg', { application_sid: null })], numbers: [row('508*', 'reg')] },
      'reg, A, -, app of 508*, -',
    ],
    ['any gateway of it', { gateways: [{ ...registered('reg'), is_inbound: false }] }, 'reg, A, -, app of reg, -'],
    [
      'no carrier of a provider, and no source address',
      { gateways: [registered('reg', { account_sid: null })] },
      '404 unknown_realm',
    ],
    [
      'two gateways of it',
      { gateways: [registered('reg'), { ...registered('reg'), sip_gateway_sid: 'other' }] },
      '503 several_registrations',
    ],
  ])('finds a carrier that registers, and %s', (_, more, end) => {
    expect(routed(more, { realm: 'carrier.example.com' })[0]).toBe(end)
  })

  test.each([
    [
      [
        gateway('reg', '10.0.0.9/32', {
          requires_register: true,
          register_sip_realm: 'CARRIER.example.com',
          register_username: '+15083084809',
          account_sid: 'A',
        }),
      ],
      'reg, A, -, app of reg, -',
    ],
    [
      [gateway('reg', '10.0.0.9/32', { register_sip_realm: 'carrier.example.com', register_username: '+15083084809' })],
      '404 not_provisioned',
    ],
    [
      ['x', 'y'].map((sid) =>
        gateway(sid, '10.0.0.9/32', {
          requires_register: true,
          register_sip_realm: 'carrier.example.com',
          register_username: '+15083084809',
        }),
      ),
      '503 several_registrations',
    ],
  ])('finds a carrier that registers with this host and user name', (gateways, end) => {
    expect(routed({ gateways }, { realm: 'carrier.example.com' })[0]).toBe(end)
  })

  test('ignores the realm of an inactive account, and rejects calls from its devices', () => {
    const off = account('off', { is_active: false })
    expect(routed({ realmAccount: off, deviceAccount: off }, { realm })).toEqual([
      '503 inactive_account',
      'realm registrations gateways devices',
    ])
  })
})

test('routes calls from Microsoft Teams to the tenant with the called domain', () => {
  const teams = { source: '52.114.1.2', realm: 'teams.example.com' }
  expect(routed({ teamsTenant: { account_sid: 'A', application_sid: 'teams app' } }, teams)[0]).toBe(
    '-, A, -, teams app, -',
  )
  expect(routed({ teamsTenant: { account_sid: 'off', application_sid: null } }, teams)[0]).toBe('503 inactive_account')
  expect(routed({}, teams)).toEqual(['404 no_teams_tenant', 'realm registrations gateways teams'])
})

/** Returns a reproducible pseudorandom number generator. */
const sequence = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

test('routes any combination of rows to a matching gateway of an active carrier, and to a number of that carrier', () => {
  const next = sequence(6)
  const ends = new Set<string>()
  const sids = ['a', 'b', 'c']
  for (let round = 0; round < 3000; round += 1) {
    const gateways = Array.from({ length: next(4) }, () =>
      gateway(sids[next(3)] ?? '', `10.0.0.9/${[32, 24, 8][next(3)] ?? 32}`, {
        account_sid: [null, 'A', 'off'][next(3)] ?? null,
        application_sid: next(2) === 0 ? null : 'app',
        is_active: next(4) > 0,
      }),
    )
    const numbers = Array.from({ length: next(5) }, () =>
      row([number, '^15', '508*', '(', '^9'][next(5)] ?? '', sids[next(3)] ?? '', {
        account_sid: ['A', 'off', null][next(3)] ?? null,
        application_sid: next(2) === 0 ? null : 'app of number',
      }),
    )
    const facts = { ...noFacts, gateways, numbers, ...(next(2) === 0 ? { realmAccount: A, deviceAccount: A } : {}) }
    const realm = next(2) === 0 ? call.realm : 'acme.example.com'
    const { steps, end } = routeInbound({ ...call, realm }, facts)
    expect(steps.length).toBeGreaterThan(0)
    ends.add(end.is === 'refused' ? end.why : `by ${end.of}`)
    if (end.is !== 'taken' || end.gateway === undefined) continue
    expect(gateways).toContain(end.gateway)
    expect(end.gateway.carrier.is_active).toBe(true)
    // A pattern on a shared carrier charges its own account, and the account of the realm has to be active.
    const isByPattern = realm !== call.realm && end.row !== undefined && isNumberPattern(end.row.number)
    expect(isByPattern || end.account?.is_active).not.toBe(false)
    const answers = ({ number: stored, voip_carrier_sid }: InboundNumber) =>
      voip_carrier_sid === end.gateway?.voip_carrier_sid &&
      (stored === number || patternMatch(stored, number) === 'matched')
    expect(end.row === undefined || answers(end.row)).toBe(true)
  }
  expect([...ends].toSorted()).toEqual([
    'by account',
    'by carrier',
    'by number',
    'inactive_account',
    'no_account',
    'not_provisioned',
    'several_carriers',
    'several_numbers',
    'unknown_realm',
  ])
})
