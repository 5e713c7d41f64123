import { describe, expect, test } from 'vitest'
import { planTypes } from '../accounts.ts'
import { type Actor, accessLevel, can, scopes } from './access.ts'

test('COMMON-55 knows the plans trial, free, and paid', () => {
  expect([...planTypes].toSorted((a, b) => a.localeCompare(b))).toEqual(['free', 'paid', 'trial'])
})

describe('scopes', () => {
  test('COMMON-56 AUTH-28 assigns the levels 0, 1, and 2 to account, service_provider, and admin', () => {
    expect(scopes).toEqual(['account', 'service_provider', 'admin'])
    expect(scopes.map(accessLevel)).toEqual([0, 1, 2])
  })

  const actor = (more: Partial<Actor>): Actor => ({
    token: 'user',
    scope: 'account',
    user_sid: 'U',
    account_sid: 'A',
    service_provider_sid: 'P',
    is_view_only: false,
    must_change_password: false,
    ...more,
  })
  const provider = actor({ scope: 'service_provider', account_sid: null })
  const admin = actor({ scope: 'admin', account_sid: null, service_provider_sid: null })

  test('restricts access to own records, and access to platform records to admins', () => {
    const own = { account_sid: 'A', service_provider_sid: 'P' }
    const sister = { account_sid: 'B', service_provider_sid: 'P' }
    const foreign = { account_sid: 'C', service_provider_sid: 'Q' }
    const nobodys = { account_sid: null, service_provider_sid: null }
    const reach = (who: Actor) => [own, sister, foreign, nobodys].map((owner) => can(who, 'write', owner))
    expect(reach(actor({}))).toEqual([true, false, false, false])
    expect(reach(provider)).toEqual([true, true, false, false])
    expect(reach(admin)).toEqual([true, true, true, true])
    expect(reach(actor({ account_sid: null }))).toEqual([false, false, false, false])
    expect(reach(actor({ scope: 'service_provider', service_provider_sid: null }))).toEqual([
      false,
      false,
      false,
      false,
    ])
  })

  test('lets view-only users only read, and denies everything until a required password change', () => {
    const own = { account_sid: 'A', service_provider_sid: 'P' }
    expect(can(actor({ is_view_only: true }), 'read', own)).toBe(true)
    expect(can(actor({ is_view_only: true }), 'write', own)).toBe(false)
    expect(can(actor({ must_change_password: true }), 'read', own)).toBe(false)
  })
})
