import { newMsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import { expect, test, vi } from 'vitest'
import { ApiError } from '../../../api/api-error.ts'
import { getFieldErrors } from '../../../form/field-errors.ts'
import { tenantValues, toFieldErrors, toFormValues, toPayload } from './tenant-form.tsx'

// These fields read the session, which needs a browser.
vi.mock('../../../fields/account-field.tsx', () => ({}))
vi.mock('../../../fields/application-field.tsx', () => ({}))

const account_sid = '11111111-1111-4111-8111-111111111111'
const service_provider_sid = '22222222-2222-4222-8222-222222222222'
const full = { tenant_fqdn: 'acme.teams.example.org', account_sid, application_sid: '' }

/** Returns the error messages by field. */
const getErrors = (values: object) => getFieldErrors(tenantValues, { ...full, ...values })

test.each([
  [{}, {}],
  [{ tenant_fqdn: '' }, { tenant_fqdn: 'Enter a domain name' }],
  [{ tenant_fqdn: ' ' }, { tenant_fqdn: 'Enter a domain name' }],
  [{ tenant_fqdn: 'x'.repeat(256) }, { tenant_fqdn: 'Use at most 255 characters' }],
  [{ account_sid: '' }, { account_sid: 'Choose an account' }],
])('TEAMS-04 TEAMS-05 %j of a tenant: %j', (values, wrong) => {
  expect(getErrors(values)).toEqual(wrong)
})

test('produces a valid request body that converts back to the same form values', () => {
  const payload = toPayload(tenantValues.parse({ ...full, tenant_fqdn: ' acme.teams.example.org ' }))
  expect(payload).toEqual({ tenant_fqdn: 'acme.teams.example.org', account_sid, application_sid: null })
  expect(newMsTeamsTenant.safeParse({ ...payload, service_provider_sid }).success).toBe(true)
  expect(toFormValues({ ...payload, ms_teams_tenant_sid: 't', service_provider_sid })).toEqual(full)
})

test.each([
  [422, 'tenant_fqdn', { tenant_fqdn: 'The domain name you have entered is already in use.' }],
  [422, undefined, { tenant_fqdn: 'The domain name you have entered is already in use.' }],
  [400, 'application_sid', { application_sid: 'why' }],
  [400, 'constructor', {}],
  [403, undefined, {}],
])('assigns an error with status %i and field %s to its form field', (status, field, marked) => {
  expect(toFieldErrors(new ApiError('rejected', status, 'why', field === undefined ? {} : { field }))).toEqual(marked)
})
