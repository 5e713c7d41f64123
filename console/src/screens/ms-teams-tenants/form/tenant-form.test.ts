import { newMsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import { expect, test } from 'vitest'
import { ApiError } from '../../../api/api-error.ts'
import { toFormValues, toFieldErrors, toPayload, tenantValues } from './tenant-form.ts'

const account_sid = '11111111-1111-4111-8111-111111111111'
const service_provider_sid = '22222222-2222-4222-8222-222222222222'
const full = { tenant_fqdn: 'acme.teams.example.org', account_sid, application_sid: '' }

/** What is wrong, by field. */
const faults = (values: object) =>
  Object.fromEntries(
    (tenantValues.safeParse({ ...full, ...values }).error?.issues ?? []).map(({ path, message }) => [
      path.join('.'),
      message,
    ]),
  )

test.each([
  [{}, {}],
  [{ tenant_fqdn: '' }, { tenant_fqdn: 'Enter a domain name' }],
  [{ tenant_fqdn: ' ' }, { tenant_fqdn: 'Enter a domain name' }],
  [{ tenant_fqdn: 'x'.repeat(256) }, { tenant_fqdn: 'Use at most 255 characters' }],
  [{ account_sid: '' }, { account_sid: 'Choose an account' }],
])('TEAMS-04 TEAMS-05 %j of a tenant: %j', (values, wrong) => {
  expect(faults(values)).toEqual(wrong)
})

test('what is sent is what the wire takes, without an application as null, and is read back the same', () => {
  const sent = toPayload(tenantValues.parse({ ...full, tenant_fqdn: ' acme.teams.example.org ' }))
  expect(sent).toEqual({ tenant_fqdn: 'acme.teams.example.org', account_sid, application_sid: null })
  expect(newMsTeamsTenant.safeParse({ ...sent, service_provider_sid }).success).toBe(true)
  expect(toFormValues({ ...sent, ms_teams_tenant_sid: 't', service_provider_sid })).toEqual(full)
})

test.each([
  [422, 'tenant_fqdn', { tenant_fqdn: 'The domain name you have entered is already in use.' }],
  [422, undefined, { tenant_fqdn: 'The domain name you have entered is already in use.' }],
  [400, 'application_sid', { application_sid: 'why' }],
  [400, 'constructor', {}],
  [403, undefined, {}],
])('a refusal with %i of %s stands at its field', (status, field, marked) => {
  expect(toFieldErrors(new ApiError('refused', status, 'why', field === undefined ? {} : { field }))).toEqual(marked)
})
