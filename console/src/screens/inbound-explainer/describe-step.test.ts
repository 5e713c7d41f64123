import type { CarrierHealthSummary } from '@patchbay/contract/carrier-health'
import type { InboundAnswer } from '@patchbay/contract/inbound-routing'
import { expect, test } from 'vitest'
import { describeEnd, describeStep, notYours } from './describe-step.ts'

const carrier = { sid: 'c', name: 'North' }
const gateway = { sip_gateway_sid: 'g', ipv4: '10.0.0.0', netmask: 24, carrier }
const row = { phone_number_sid: 'n', number: '1508' }

test.each([
  [{ is: 'realm', found: true, account: { sid: 'a', name: 'Acme' } }, ['Acme'], false],
  [{ is: 'realm', found: false, account: null }, ['No active account has this SIP realm.'], true],
  [{ is: 'gateways', how: 'network', gateways: [gateway, null] }, ['10.0.0.0/24 of North', notYours], false],
  [{ is: 'gateways', how: 'network', gateways: [{ ...gateway, netmask: 32 }] }, ['10.0.0.0 of North'], false],
  [{ is: 'gateways', how: 'realm', gateways: [] }, ['No gateway accepts calls from this address.'], true],
  [{ is: 'registrations', gateways: [] }, ['None.'], true],
  [{ is: 'numbers', rows: [row, null] }, ['1508', notYours], false],
  [{ is: 'numbers', rows: [] }, ['No match.'], true],
  [
    {
      is: 'patterns',
      tried: [
        { row: { ...row, number: '(' }, match: 'invalid' },
        { row, match: 'matched' },
      ],
    },
    ['(: invalid expression: skipped', '1508: matches'],
    false,
  ],
  [{ is: 'patterns', tried: [{ row, match: 'unmatched' }] }, ['1508: does not match'], true],
  [{ is: 'default_carriers', gateways: [gateway] }, ['10.0.0.0/24 of North'], false],
  [{ is: 'only_account', found: true, account: null }, [notYours], false],
  [{ is: 'only_account', found: false, account: null }, ['It has no account or several.'], true],
  [{ is: 'teams', found: false }, ['None.'], true],
  [{ is: 'devices', found: false, account: null }, ['No account has this SIP realm or its parent domain.'], true],
] as [InboundAnswer['steps'][number], string[], boolean][])('%j', (step, lines, isMiss) => {
  expect(describeStep(step)).toMatchObject({ lines, isMiss })
})

const taken: Extract<InboundAnswer['end'], { is: 'taken' }> = {
  is: 'taken',
  byCarrier: true,
  carrier,
  account: { sid: 'a', name: 'Acme' },
  number: row,
  application: { sid: 'x', name: 'Menu' },
  has_application: true,
  of: 'number',
  isByChance: false,
  trunks: [],
}
const healthy: CarrierHealthSummary = {
  voip_carrier_sid: 'c',
  state: 'no_failure_known',
  registration: null,
  calls: null,
  gateway_count: 1,
  failing_count: 0,
  monitored_count: 1,
}
const routingLines = [
  'The call comes by carrier North, for account Acme.',
  'The called number is 1508.',
  'The application is set at the number.',
]
type Answer = Parameters<typeof describeEnd>[0]
const describe = (
  end: Answer['end'],
  concerns: Answer['concerns'] = [],
  health: CarrierHealthSummary | undefined = healthy,
) => describeEnd({ end, concerns, inactive_carriers: [] }, health)

test('says that the application answers if its carrier, speech, and last call show nothing against it', () => {
  expect(describe(taken)).toEqual({
    outcome: 'good',
    title: 'Menu answers the call.',
    lines: [...routingLines, 'The SBCs ping 1 of 1 gateways.'],
  })
})

test('does not know whether a device authenticates', () => {
  const device = { ...taken, byCarrier: false, carrier: null, of: 'account' } as const
  expect(describeEnd({ end: device, concerns: [], inactive_carriers: [] })).toMatchObject({
    outcome: 'unknown',
    title: 'Menu is selected.',
    lines: [
      'The call comes from a device, for account Acme.',
      'The called number is 1508.',
      'The application is the application for SIP device calls.',
      'The device has to authenticate, as a SIP client or by the registration webhook. This test does not cover that.',
    ],
  })
})

test.each([
  [{ is: 'no_instructions' }, 'The application has no calling webhook and no verbs.'],
  [
    { is: 'speech_missing', use: 'tts', vendor: 'google', label: null },
    'The account has no speech service of Google for text-to-speech.',
  ],
  [
    { is: 'speech_failed', use: 'stt', vendor: 'deepgram', label: 'new' },
    'The last test of the speech service failed: Deepgram with the label “new” for speech-to-text.',
  ],
  [
    { is: 'webhook_failed', alert_type: 'webhook-connection-failure', at: '2026-11-25T12:00:00Z' },
    'At the last call of the application, its webhook failed: Webhook unreachable.',
  ],
  [
    { is: 'call_failed', alert_type: 'tts-failure', at: '2026-11-25T12:00:00Z' },
    'At the last call of the application, an alert was raised: Text-to-speech failed.',
  ],
] as const)('is not green with %j', (concern, sentence) => {
  const { outcome, title, lines } = describe(taken, [concern])
  expect([outcome, title]).toEqual(['bad', 'Menu is selected, but the call may fail.'])
  expect(lines).toContain(sentence)
})

test.each([
  [{ of: 'account', used: 1, quantity: 1 }, 'The account has 1 call in progress, as many as its limit allows.'],
  [
    { of: 'service_provider', used: 1200, quantity: 1000 },
    'The service provider has 1,200 calls in progress, as many as its limit allows.',
  ],
  [
    { of: 'service_provider', used: null, quantity: null },
    'The service provider has calls in progress, as many as its limit allows.',
  ],
] as const)('is not green when a limit is reached, and no failure: %j', (limit, sentence) => {
  const { outcome, title, lines } = describe(taken, [{ is: 'limit_reached', ...limit }])
  expect([outcome, title]).toEqual(['unknown', 'Menu is selected.'])
  expect(lines).toContain(`${sentence} An SBC that enforces limits rejects more.`)
})

test('names the carrier state: a lost registration may lose the call, and an unknown one proves nothing', () => {
  const registration = { state: 'failing', reason: '403 Forbidden', reported_at: null, expires_at: null } as const
  const failing = { ...healthy, state: 'failing', registration: { ...registration, settled_at: null } } as const
  expect(describe(taken, [], failing)).toMatchObject({
    outcome: 'bad',
    title: 'Menu is selected, but the call may fail.',
    lines: [...routingLines, 'The registration failed: 403 Forbidden. The SBCs ping 1 of 1 gateways.'],
  })
  const unmonitored = { ...healthy, state: 'not_monitored', monitored_count: 0 } as const
  expect(describe(taken, [], unmonitored)).toMatchObject({ outcome: 'unknown', title: 'Menu is selected.' })
  const unreported = describeEnd({ end: taken, concerns: [], inactive_carriers: [] })
  expect(unreported).toEqual({ outcome: 'unknown', title: 'Menu is selected.', lines: routingLines })
})

test('without a stored call, nothing shows that the webhook responds', () => {
  expect(describe(taken, [{ is: 'webhook_unproven' }])).toMatchObject({
    outcome: 'unknown',
    title: 'Menu is selected.',
    lines: expect.arrayContaining(['No stored call shows that the webhook of the application responds.']),
  })
})

test('says when no application is set, and when one of another tenant is', () => {
  const none = { ...taken, application: null, has_application: false, number: null, isByChance: true } as const
  expect(describe(none)).toEqual({
    outcome: 'bad',
    title: 'The call is accepted, but no application is set to handle it.',
    lines: [
      'The call comes by carrier North, for account Acme.',
      'Several match and their order is undefined. The platform may choose another.',
    ],
  })
  expect(describe({ ...none, has_application: true })).toMatchObject({
    outcome: 'unknown',
    title: 'An application of another tenant is selected.',
  })
})

test('does not know whether a trunk or a device has the credentials', () => {
  const trunks = [
    { sid: 't', name: 'East', has_application: true },
    { sid: 'u', name: 'West', has_application: false },
  ]
  const device = { ...taken, byCarrier: false, carrier: null, number: null, of: 'account', trunks } as const
  const none = { ...device, application: null, has_application: false }
  expect(describe(none)).toEqual({
    outcome: 'unknown',
    title: 'The credentials of the caller decide what handles the call.',
    lines: [
      'The call comes from a device or a trunk, depending on its credentials, for account Acme.',
      'The device has to authenticate, as a SIP client or by the registration webhook. This test does not cover that.',
      'As a device, no application is set to handle it.',
      'With the credentials of trunk East, an application of the trunk or of its number handles it.',
      'With the credentials of trunk West, no application is set to handle it.',
    ],
  })
  expect(describe(device).lines).toContain('As a device, an application handles it.')
})

test('does not know the result if versions of the SBC differ', () => {
  const note =
    'Versions of the SBC differ here: some ignore networks if a gateway has exactly this address, and decide otherwise.'
  const versioned = { ...taken, isVersionDependent: true } as const
  expect(describe(versioned)).toMatchObject({ outcome: 'unknown', title: 'Menu is selected.' })
  expect(describe(versioned).lines).toContain(note)
  expect(describe({ ...versioned, application: null, has_application: false })).toMatchObject({
    outcome: 'unknown',
    title: 'The call may be accepted without an application to handle it.',
  })
  expect(describe({ is: 'refused', status: 404, why: 'not_provisioned', isVersionDependent: true })).toEqual({
    outcome: 'unknown',
    title: 'The call may be rejected with 404.',
    lines: ['Number Not Provisioned: no number or pattern of the carrier matches.', note],
  })
})

test('says why a call is rejected, with the inactive carriers that have its address', () => {
  const rejected = { is: 'refused', status: 404, why: 'not_provisioned' } as const
  expect(describeEnd({ end: rejected, concerns: [], inactive_carriers: [carrier] })).toEqual({
    outcome: 'bad',
    title: 'The call is rejected with 404.',
    lines: [
      'Number Not Provisioned: no number or pattern of the carrier matches.',
      'Carrier North has a gateway for this address, but is inactive, so it is ignored.',
    ],
  })
  expect(describe({ is: 'elsewhere' }).title).toBe('The call belongs to another tenant.')
})
