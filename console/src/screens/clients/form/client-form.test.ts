import { newClient } from '@patchbay/contract/clients'
import { expect, test } from 'vitest'
import { ApiError } from '../../../api/api-error.ts'
import { getFieldErrors } from '../../../form/field-errors.ts'
import {
  blockedBy,
  clientFieldErrors,
  clientSettings,
  deviceAddresses,
  emptyClient,
  newClientValues,
  randomPassword,
  toSettingsValues,
} from './client-form.ts'

const account_sid = '11111111-1111-4111-8111-111111111111'
const full = { ...emptyClient, account_sid, username: 'reception', password: 'p4ssword' }

/** Returns the error messages by field. */
const getErrors = (values: object) => getFieldErrors(newClientValues, { ...full, ...values })

test.each([
  [{}, {}],
  [{ username: ' ' }, { username: 'Enter a user name' }],
  [{ username: 'x'.repeat(65) }, { username: 'Use at most 64 characters' }],
  [{ password: '' }, { password: 'Enter a password' }],
  [{ password: ' ' }, {}],
  [{ password: 'x'.repeat(129) }, { password: 'Use at most 128 characters' }],
  [{ account_sid: '' }, { account_sid: 'Choose an account' }],
])('CLIENTS-05 CLIENTS-06 %j of a new client: %j', (values, wrong) => {
  expect(getErrors(values)).toEqual(wrong)
})

test('produces a valid request body with a trimmed user name and an unchanged password', () => {
  const payload = newClientValues.parse({ ...full, username: ' reception ', password: ' p ' })
  expect(payload).toMatchObject({ username: 'reception', password: ' p ' })
  expect(newClient.safeParse(payload).success).toBe(true)
})

test('edits only the settings that can change after creation', () => {
  const client = {
    client_sid: 'c',
    account_sid,
    username: 'reception',
    password: 'pXXXXXXX',
    is_active: 0 as const,
    allow_direct_app_calling: 1 as const,
    allow_direct_queue_calling: 0 as const,
    allow_direct_user_calling: 1 as const,
  }
  const values = toSettingsValues(client)
  expect(values).toEqual({
    is_active: false,
    allow_direct_app_calling: true,
    allow_direct_queue_calling: false,
    allow_direct_user_calling: true,
  })
  expect(clientSettings.parse(values)).toEqual(values)
})

test.each([
  [
    "the client's username already exists",
    'username',
    { username: 'The account already has a SIP client with this name.' },
  ],
  [
    "the client's username already exists",
    undefined,
    { username: 'The account already has a SIP client with this name.' },
  ],
  ['too long', 'password', { password: 'too long' }],
  ['unknown account_sid', 'account_sid', { account_sid: 'unknown account_sid' }],
  ['why', 'constructor', {}],
  ['why', undefined, {}],
])('assigns the error %j with field %s to its form field', (message, field, marked) => {
  expect(clientFieldErrors(new ApiError('rejected', 400, message, field === undefined ? {} : { field }))).toEqual(
    marked,
  )
})

test('blocks clients of an account without a SIP realm only', () => {
  expect([undefined, { sip_realm: 'sip.example.org' }].map(blockedBy)).toEqual([undefined, undefined])
  for (const sip_realm of [null, '']) expect(blockedBy({ sip_realm })).toBe('Sip realm is not set for the account.')
})

test('generates 20 unambiguous characters with equal probability', () => {
  let next = 0
  const counting = (bytes: Uint8Array<ArrayBuffer>) => bytes.map(() => next++)
  const password = randomPassword(counting)
  expect(password).toHaveLength(20)
  // Bytes 228 to 255 are skipped.
  next = 220
  expect(randomPassword(counting)).toMatch(/^[^lI1O0]{20}$/)
  next = 228
  expect(randomPassword(counting)).toBe(password)
})

test('lists an address for each transport of each SBC', () => {
  const sbc = { sbc_address_sid: 's', ipv4: '203.0.113.10', port: 5060, service_provider_sid: null, last_updated: null }
  expect(deviceAddresses([{ ...sbc, tls_port: 5061, wss_port: 8443 }])).toEqual([
    { transport: 'UDP or TCP', address: '203.0.113.10:5060' },
    { transport: 'TLS', address: '203.0.113.10:5061' },
    { transport: 'WebSocket (WSS)', address: 'wss://203.0.113.10:8443' },
  ])
  expect(deviceAddresses([{ ...sbc, tls_port: null, wss_port: null }])).toHaveLength(1)
  expect(deviceAddresses([])).toEqual([])
})
