import { newInvitation, newUser } from '@patchbay/contract/users'
import { expect, test } from 'vitest'
import { ApiError } from '../../../api/api-error.ts'
import { getFieldErrors } from '../../../form/field-errors.ts'
import {
  emptyUser,
  toFormValues,
  toInvitation,
  toPayload,
  type UserRules,
  userFieldErrors,
  userValues,
} from './user-form.ts'

const policy = { min_password_length: 8, require_digit: 1, require_special_character: 0 }
const rules: UserRules = { policy, isNew: true, hasAccounts: true, guardsEmail: false }
const account_sid = '11111111-1111-4111-8111-111111111111'
const service_provider_sid = '22222222-2222-4222-8222-222222222222'
const full = { ...emptyUser, account_sid, name: 'ann', email: 'ann@example.org', initial_password: 'abcdefg1' }

/** Returns the error messages by field. */
const getErrors = (values: object, more: Partial<UserRules> = {}, stored?: { email: string }) =>
  getFieldErrors(userValues({ ...rules, ...more }, stored), { ...full, ...values })

test('accepts a complete form', () => {
  expect(getErrors({})).toEqual({})
})

test.each([
  [{ name: ' ' }, { name: 'Enter a name' }],
  [{ email: '' }, { email: 'Enter an email address' }],
  [{ email: 'ann' }, { email: 'Enter an email address such as name@example.com' }],
  [{ email: 'a b@example.org' }, { email: 'Enter an email address such as name@example.com' }],
  [{ initial_password: '' }, { initial_password: 'Enter a temporary password' }],
  [{ account_sid: '' }, { account_sid: 'Choose an account' }],
  [{ initial_password: 'abcdef1' }, { initial_password: 'Invalid password.' }],
  [{ initial_password: 'abcdefgh' }, { initial_password: 'Invalid password.' }],
  [{ name: 'n'.repeat(256) }, { name: 'Use at most 255 characters' }],
])('USERS-11 USERS-12 USERS-13 USERS-14 %j of a new user: %j', (values, wrong) => {
  expect(getErrors(values)).toEqual(wrong)
})

test('USERS-13 on edit, the password is optional, and a new password must meet the policy', () => {
  expect(getErrors({ initial_password: '' }, { isNew: false })).toEqual({})
  expect(getErrors({ initial_password: 'short' }, { isNew: false })).toEqual({ initial_password: 'Invalid password.' })
})

test('USERS-14 USERS-15 only account scope requires an account, and a provider without accounts reports an error', () => {
  for (const scope of ['admin', 'service_provider']) expect(getErrors({ scope, account_sid: '' })).toEqual({})
  expect(getErrors({ account_sid: '' }, { hasAccounts: false })).toEqual({
    account_sid: 'Cannot create an account. Service Provider has no accounts.',
  })
})

test('accepts a stored email address that does not change, even if it is invalid', () => {
  expect(getErrors({ email: 'joe' }, {}, { email: 'joe' })).toEqual({})
  expect(getErrors({ email: 'jo' }, {}, { email: 'joe' })).not.toEqual({})
})

test('an invitation needs no password, and its user is active', () => {
  expect(getErrors({ initial_password: '', invites: true })).toEqual({})
  expect(newInvitation.safeParse(toInvitation({ ...full, invites: true }, service_provider_sid)).success).toBe(true)
})

test("requires the current password to change one's own email address if password links are mailed", () => {
  const own = { isNew: false, guardsEmail: true }
  const stored = { email: 'ann@example.org' }
  expect(getErrors({ email: 'ann@example.net' }, own, stored)).toEqual({ old_password: 'Enter your current password' })
  expect(getErrors({ email: 'ann@example.net', old_password: 'x' }, own, stored)).toEqual({})
  expect(getErrors({ email: 'ann@example.org ' }, own, stored)).toEqual({})
  expect(getErrors({ email: 'ann@example.net' }, { ...own, guardsEmail: false }, stored)).toEqual({})
})

test('USERS-17 produces a valid request body with the owner of each scope', () => {
  const getOwner = (scope: 'admin' | 'service_provider' | 'account') => {
    const payload = toPayload({ ...full, scope }, service_provider_sid)
    expect(newUser.safeParse({ ...payload, initial_password: 'abcdefg1' }).success).toBe(true)
    return [payload.service_provider_sid, payload.account_sid]
  }
  expect(getOwner('admin')).toEqual([null, null])
  expect(getOwner('service_provider')).toEqual([service_provider_sid, null])
  expect(getOwner('account')).toEqual([service_provider_sid, account_sid])
  const flags = { force_change: false, is_active: false, is_view_only: true }
  expect(toPayload({ ...full, ...flags, name: ' ann ', email: ' ann@example.org ' }, service_provider_sid)).toEqual({
    name: 'ann',
    email: 'ann@example.org',
    ...flags,
    service_provider_sid,
    account_sid,
  })
})

const user = {
  user_sid: '33333333-3333-4333-8333-333333333333',
  name: 'ann',
  email: 'ann@example.org',
  scope: 'admin' as const,
  is_active: 1 as const,
  is_view_only: true,
  force_change: 0 as const,
  provider: 'local',
  account_sid: null,
  account_name: null,
  service_provider_sid: null,
  service_provider_name: null,
  pending_email: null,
  phone: null,
  provider_userid: null,
  email_validated: 0 as const,
  phone_validated: 0 as const,
  email_content_opt_out: 0 as const,
}

test('derives the scope from the owner, because the scope column of jambonz has another meaning', () => {
  expect(toFormValues(user)).toEqual({
    scope: 'admin',
    account_sid: '',
    name: 'ann',
    email: 'ann@example.org',
    initial_password: '',
    old_password: '',
    force_change: false,
    is_active: true,
    is_view_only: true,
    invites: false,
  })
  expect(toFormValues({ ...user, service_provider_sid }).scope).toBe('service_provider')
  expect(toFormValues({ ...user, account_sid }).scope).toBe('account')
})

test.each([
  ['name', 422, { name: 'Another user has this name.' }],
  ['email', 422, { email: 'Another user has this email address.' }],
  ['initial_password', 400, { initial_password: 'why' }],
  ['old_password', 403, { old_password: 'The password was not accepted' }],
  ['service_provider_sid', 400, { scope: 'why' }],
  [undefined, 400, {}],
  ['constructor', 400, {}],
])('assigns an error of %s with status %i to its field', (field, status, marked) => {
  expect(userFieldErrors(new ApiError('rejected', status, 'why', field === undefined ? {} : { field }))).toEqual(marked)
})
