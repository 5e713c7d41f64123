import type { InboundAnswer } from '@patchbay/contract/inbound-routing'
import { expect, test } from 'vitest'
import { describeEnd, notYours, describeStep } from './describe-step.ts'

const carrier = { sid: 'c', name: 'North' }
const gateway = { sip_gateway_sid: 'g', ipv4: '10.0.0.0', netmask: 24, carrier }
const row = { phone_number_sid: 'n', number: '1508' }

test.each([
  [{ is: 'realm', found: true, account: { sid: 'a', name: 'Acme' } }, ['Acme'], false],
  [{ is: 'realm', found: false, account: null }, ['No active account has this SIP realm.'], true],
  [{ is: 'gateways', how: 'network', gateways: [gateway, null] }, ['10.0.0.0/24 of North', notYours], false],
  [{ is: 'gateways', how: 'address', gateways: [{ ...gateway, netmask: 32 }] }, ['10.0.0.0 of North'], false],
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

const taken = {
  is: 'taken',
  byCarrier: true,
  carrier,
  account: { sid: 'a', name: 'Acme' },
  number: row,
  application: { sid: 'x', name: 'Menu' },
  of: 'number',
  isByChance: false,
} as const

test('describes the result in a title and lines with details', () => {
  expect(describeEnd(taken)).toEqual({
    tone: 'good',
    title: 'Menu answers the call.',
    lines: [
      'The call comes by carrier North, for account Acme.',
      'The called number is 1508.',
      'The application is set at the number.',
    ],
  })
  expect(describeEnd({ ...taken, application: null, number: null, isByChance: true })).toEqual({
    tone: 'bad',
    title: 'The call is accepted, but no application is set to handle it.',
    lines: [
      'The call comes by carrier North, for account Acme.',
      'Several match and their order is undefined. The platform may choose another.',
    ],
  })
  expect(describeEnd({ ...taken, byCarrier: false, carrier: null, of: 'account' }).lines[0]).toBe(
    'The call comes from a device, for account Acme.',
  )
  expect(describeEnd({ is: 'refused', status: 404, why: 'not_provisioned' })).toEqual({
    tone: 'bad',
    title: 'The call is rejected with 404.',
    lines: ['Number Not Provisioned: no number or pattern of the carrier matches.'],
  })
  expect(describeEnd({ is: 'elsewhere' }).title).toBe('The call belongs to another tenant.')
})
