import { describe, expect, test } from 'vitest'
import type { CarrierValues } from '../form/carrier-form.ts'
import { getTrunkKind, isTrunkKind, type TrunkKind, trunkKinds } from './trunk-kinds.ts'
import { carryOver, emptyTrunk, trunkSchemas } from './trunk-values.ts'

const fill = (kind: TrunkKind, more: Partial<CarrierValues> = {}): CarrierValues => {
  const empty = emptyTrunk(kind, '')
  return {
    ...empty,
    name: 'Acme',
    sip_gateways: empty.sip_gateways.map((row) => ({ ...row, ipv4: '203.0.113.1' })),
    ...more,
  }
}

const getErrorFields = (kind: TrunkKind, values: CarrierValues): string[] =>
  trunkSchemas[kind].safeParse(values).error?.issues.map(({ path }) => path.join('.')) ?? []

describe('the form of a trunk', () => {
  test('requires a name and an address for every kind', () => {
    for (const kind of trunkKinds)
      expect(getErrorFields(kind, emptyTrunk(kind, ''))).toEqual(
        expect.arrayContaining(['name', 'sip_gateways.0.ipv4']),
      )
  })

  test('requires no credentials for an IP trunk', () => {
    expect(getErrorFields('ip', fill('ip'))).toEqual([])
  })

  test('requires both credentials for an authenticated trunk', () => {
    expect(getErrorFields('auth', fill('auth'))).toEqual(['register_username', 'register_password'])
    expect(getErrorFields('auth', fill('auth', { register_username: 'u' }))).toEqual(['register_password'])
    expect(getErrorFields('auth', fill('auth', { register_username: 'u', register_password: 'p' }))).toEqual([])
  })

  test('requires credentials and a realm for a registration trunk', () => {
    expect(getErrorFields('registration', fill('registration')).toSorted()).toEqual([
      'register_password',
      'register_sip_realm',
      'register_username',
    ])
    const complete = { register_username: 'u', register_password: 'p', register_sip_realm: 'sip.example.com' }
    expect(getErrorFields('registration', fill('registration', complete))).toEqual([])
  })

  test('keeps the values that another kind also needs', () => {
    const typed = fill('registration', {
      register_username: 'u',
      register_password: 'p',
      register_sip_realm: 'sip.example.com',
    })
    expect(carryOver(typed, 'auth')).toMatchObject({
      name: 'Acme',
      requires_register: false,
      register_username: 'u',
      register_password: 'p',
      register_sip_realm: '',
    })
    expect(carryOver(typed, 'ip')).toMatchObject({ register_username: '', register_password: '' })
    expect(carryOver(carryOver(typed, 'ip'), 'registration').requires_register).toBe(true)
  })

  test('recognizes the kind of a stored carrier', () => {
    expect(getTrunkKind({ requires_register: 1, register_username: 'u' })).toBe('registration')
    expect(getTrunkKind({ requires_register: 0, register_username: 'u' })).toBe('auth')
    expect(getTrunkKind({ requires_register: 0, register_username: null })).toBe('ip')
    expect([isTrunkKind('ip'), isTrunkKind('predefined'), isTrunkKind(undefined)]).toEqual([true, false, false])
  })
})
