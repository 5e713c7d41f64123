import type { AccountContents } from '@patchbay/contract/accounts'
import { expect, test } from 'vitest'
import { contentsEntries, contentsText, isInUse } from './contents.ts'

const none: AccountContents = {
  users: 0,
  api_keys: 0,
  applications: 0,
  phone_numbers: 0,
  voip_carriers: 0,
  lcrs: 0,
  call_routes: 0,
  ms_teams_tenants: 0,
  clients: 0,
  speech_credentials: 0,
  account_limits: 0,
  account_subscriptions: 0,
  account_offers: 0,
  account_static_ips: 0,
  dns_records: 0,
}

test('formats counts with singular and plural nouns and omits zeros', () => {
  expect(contentsText(none)).toBe('')
  expect(contentsText({ ...none, users: 1, phone_numbers: 1200, clients: 2 })).toBe(
    '1 user, 1,200 phone numbers, 2 SIP clients',
  )
})

test('returns the counts with their titles and texts', () => {
  expect(contentsEntries(none)).toEqual([])
  expect(contentsEntries({ ...none, users: 1, api_keys: 2, phone_numbers: 1200 })).toEqual([
    { table: 'users', title: 'Users', figure: '1', text: '1 user' },
    { table: 'api_keys', title: 'API keys', figure: '2', text: '2 API keys' },
    { table: 'phone_numbers', title: 'Phone numbers', figure: '1,200', text: '1,200 phone numbers' },
  ])
})

test('an account with users is in use', () => {
  expect([isInUse({ ...none, voip_carriers: 3 }), isInUse({ ...none, users: 1 })]).toEqual([false, true])
})
