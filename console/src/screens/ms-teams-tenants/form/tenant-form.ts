import type { MsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import { msTeamsTenantLengths } from '@patchbay/contract/shared/column-lengths'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/use-record-form.tsx'
import { requiredText, z } from '../../../zod.ts'

/** Values of the Teams tenant form and their conversion from and to the API. */

export const tenantValues = z.object({
  tenant_fqdn: requiredText(msTeamsTenantLengths.tenant_fqdn, 'Enter a domain name'),
  account_sid: z.string().check(z.minLength(1, { error: 'Choose an account' })),
  application_sid: z.string(),
})
export type TenantValues = z.infer<typeof tenantValues>

export const toFormValues = ({ tenant_fqdn, account_sid, application_sid }: MsTeamsTenant): TenantValues => ({
  tenant_fqdn,
  account_sid,
  application_sid: application_sid ?? '',
})

/** Returns the request body for creation and updates. */
export const toPayload = ({ tenant_fqdn, account_sid, application_sid }: TenantValues) => ({
  tenant_fqdn,
  account_sid,
  application_sid: application_sid || null,
})

const domainTaken = 'The domain name you have entered is already in use.'

/** Status 422 means that the domain is already in use. The upstream jambonz server does not name the field. */
export const toFieldErrors = ({ status, field, message }: ApiError): FieldErrors<TenantValues> => {
  if (status === 422) return { tenant_fqdn: domainTaken }
  return field === 'tenant_fqdn' || field === 'account_sid' || field === 'application_sid' ? { [field]: message } : {}
}
