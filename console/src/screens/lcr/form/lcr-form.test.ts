import type { LcrRoute } from '@patchbay/contract/lcr-routes'
import type { Lcr, WholeLcr } from '@patchbay/contract/lcrs'
import { newWholeLcr } from '@patchbay/contract/lcrs'
import { separateDefaultRoute } from '@patchbay/rules/routing/outbound'
import { expect, test } from 'vitest'
import { ApiError } from '../../../api/api-error.ts'
import { getFieldErrors } from '../../../form/field-errors.ts'
import {
  emptyLcr,
  type LcrValues,
  lcrFieldErrors,
  lcrValues,
  toFormValues,
  toOwnerPayload,
  toRoutesPayload,
  toSettingsPayload,
} from './lcr-form.ts'

const full: LcrValues = {
  ...emptyLcr,
  default_voip_carrier_sid: 'd',
  routes: [{ lcr_route_sid: '', regex: '^44', voip_carrier_sid: 'a' }],
}

const faults = (values: Partial<LcrValues>) => getFieldErrors(lcrValues, { ...full, ...values })
const routes = (more: Partial<LcrValues['routes'][number]>) => ({
  routes: [...full.routes, { lcr_route_sid: '', regex: '^1', voip_carrier_sid: 'a', ...more }],
})

test('accepts a complete form, also without a name or routes', () => {
  expect([faults({}), faults({ routes: [] })]).toEqual([{}, {}])
})

test.each([
  [{ default_voip_carrier_sid: '' }, { default_voip_carrier_sid: 'Choose a default outbound carrier' }],
  [routes({ regex: '  ' }), { 'routes.1.regex': 'Enter a digit prefix or a regular expression' }],
  [routes({ regex: '1'.repeat(33) }), { 'routes.1.regex': 'Use at most 32 characters' }],
  [routes({ voip_carrier_sid: '' }), { 'routes.1.voip_carrier_sid': 'Choose a carrier' }],
  [{ name: 'x'.repeat(65) }, { name: 'Use at most 64 characters' }],
])('LCR-09 LCR-10 LCR-11 %j: %j', (values, wrong) => {
  expect(faults(values)).toEqual(wrong)
})

test('LCR-03 a new routing is active', () => {
  expect(emptyLcr.is_active).toBe(true)
})

const lcr: Lcr = {
  lcr_sid: 'l',
  name: null,
  is_active: 0,
  default_carrier_set_entry_sid: 'e9',
  service_provider_sid: 'p',
  account_sid: null,
  number_routes: 3,
}
const stored = (nth: number, regex: string, ...carriers: string[]): LcrRoute => ({
  lcr_route_sid: `r${nth}`,
  lcr_sid: 'l',
  regex,
  description: nth === 1 ? 'Great Britain' : null,
  priority: nth,
  lcr_carrier_set_entries: carriers.map((voip_carrier_sid, at) => ({
    lcr_carrier_set_entry_sid: `e${nth}${at === 0 ? '' : at}`,
    lcr_route_sid: `r${nth}`,
    voip_carrier_sid,
    workload: 2,
    priority: at,
  })),
})
const lcrRoutes = [stored(1, '^44', 'a', 'b'), stored(2, '^1', 'c'), stored(9, '.*', 'd')]
/** Returns the routing as the server does. */
const toWhole = (one: Lcr): WholeLcr => ({ ...one, ...separateDefaultRoute(one, lcrRoutes) })

test('shows the default route as the default carrier, and the first of several carriers of a route', () => {
  expect(toFormValues(toWhole(lcr))).toEqual({
    name: '',
    is_active: false,
    account_sid: '',
    default_voip_carrier_sid: 'd',
    routes: [
      { lcr_route_sid: 'r1', regex: '^44', voip_carrier_sid: 'a' },
      { lcr_route_sid: 'r2', regex: '^1', voip_carrier_sid: 'c' },
    ],
  })
  expect(toFormValues(toWhole({ ...lcr, default_carrier_set_entry_sid: null }))).toMatchObject({
    default_voip_carrier_sid: '',
    routes: [{}, {}, { regex: '.*' }],
  })
})

test('LCR-15 sends routes with the priority of their position and keeps their other fields', () => {
  const {
    routes: [first, second],
  } = toFormValues(toWhole(lcr))
  if (!first || !second) throw new Error('no routes')
  const newRoute = { lcr_route_sid: '', regex: '^33', voip_carrier_sid: 'x' }
  const deletedRoute = { ...newRoute, lcr_route_sid: 'of another' }
  const payload = toRoutesPayload(
    { routes: [second, newRoute, { ...first, voip_carrier_sid: 'z' }, deletedRoute] },
    lcrRoutes,
  )
  expect(payload).toEqual([
    {
      lcr_route_sid: 'r2',
      regex: '^1',
      description: null,
      priority: 0,
      lcr_carrier_set_entries: [{ lcr_carrier_set_entry_sid: 'e2', voip_carrier_sid: 'c', workload: 2, priority: 0 }],
    },
    {
      lcr_route_sid: '',
      regex: '^33',
      description: null,
      priority: 1,
      lcr_carrier_set_entries: [{ voip_carrier_sid: 'x', priority: 0 }],
    },
    {
      lcr_route_sid: 'r1',
      regex: '^44',
      description: 'Great Britain',
      priority: 2,
      lcr_carrier_set_entries: [
        { lcr_carrier_set_entry_sid: 'e1', voip_carrier_sid: 'z', workload: 2, priority: 0 },
        { lcr_carrier_set_entry_sid: 'e11', voip_carrier_sid: 'b', workload: 2, priority: 1 },
      ],
    },
    expect.objectContaining({ lcr_route_sid: '', priority: 3 }),
  ])
  const whole = {
    ...toSettingsPayload(full),
    ...toOwnerPayload(full, 'p'),
    default_voip_carrier_sid: 'd',
    routes: payload,
  }
  expect(newWholeLcr.safeParse(whole).success).toBe(true)
})

test('belongs to an account or to the whole service provider', () => {
  expect(toOwnerPayload(full, 'p')).toEqual({ account_sid: null, service_provider_sid: 'p' })
  expect(toOwnerPayload({ ...full, account_sid: 'a' }, 'p')).toEqual({ account_sid: 'a', service_provider_sid: null })
  expect(toSettingsPayload({ ...full, name: '' })).toEqual({ name: null, is_active: true })
})

test.each([
  ['account_sid', { account_sid: 'why' }],
  ['default_voip_carrier_sid', { default_voip_carrier_sid: 'why' }],
  ['voip_carrier_sid', {}],
  [undefined, {}],
])('assigns an error of %s to its field', (field, marked) => {
  expect(lcrFieldErrors(new ApiError('rejected', 400, 'why', field === undefined ? {} : { field }))).toEqual(marked)
})
