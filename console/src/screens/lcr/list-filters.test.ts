import type { Lcr } from '@patchbay/contract/lcrs'
import { expect, test } from 'vitest'
import { routesText, routingFilters, routingName, routingsAround } from './list-filters.ts'

const lcr = (lcr_sid: string, more: Partial<Lcr> = {}): Lcr => ({
  lcr_sid,
  name: lcr_sid,
  is_active: 1,
  default_carrier_set_entry_sid: null,
  service_provider_sid: null,
  account_sid: null,
  number_routes: 1,
  ...more,
})

test('lists the routings of the provider, of its accounts, and without an owner', () => {
  const lcrs = [
    lcr('of an account', { account_sid: 'a' }),
    lcr('of the provider', { service_provider_sid: 'p' }),
    lcr('as the platform stores it', { account_sid: '', service_provider_sid: 'p' }),
    lcr('of nobody'),
    lcr('of another account', { account_sid: 'b' }),
    lcr('of another provider', { service_provider_sid: 'q' }),
  ]
  const around = routingsAround(lcrs, { service_provider_sid: 'p', name: 'Carrier One' }, [
    { account_sid: 'a', name: 'Acme' },
  ])
  expect(around.map(({ name, usedBy }) => [name, usedBy])).toEqual([
    ['of an account', 'Acme'],
    ['of the provider', 'Carrier One'],
    ['as the platform stores it', 'Carrier One'],
    ['of nobody', 'Nobody'],
  ])
  const getFilteredNames = (account?: string) =>
    around.filter((row) => routingFilters.keep(row, account === undefined ? {} : { account })).map(({ name }) => name)
  expect(getFilteredNames('a')).toEqual(['of an account'])
  expect(getFilteredNames()).toHaveLength(4)
})

test.each([
  [0, '0 routes'],
  [1, '0 routes'],
  [2, '1 route'],
  [1502, '1,501 routes'],
])('of %i stored routes, the default route is not counted: %s', (number_routes, text) => {
  expect(routesText({ number_routes })).toBe(text)
})

test('shows a placeholder for a missing name', () => {
  expect([routingName({ name: null }), routingName({ name: '' }), routingName({ name: 'x' })]).toEqual([
    'Unnamed',
    'Unnamed',
    'x',
  ])
})
