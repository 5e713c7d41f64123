import type { MsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import { msTeamsTenantLengths } from '@patchbay/contract/shared/column-lengths'
import type { ApiError } from '../../../api/api-error.ts'
import type { FieldErrors } from '../../../form/use-record-form.tsx'
import { requiredText, z } from '../../../zod.ts'

/** The values of the form of a Teams tenant; add and edit send them. */

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

/** What both creating and changing send. */
export const toPayload = ({ tenant_fqdn, account_sid, application_sid }: TenantValues) => ({
  tenant_fqdn,
  account_sid,
  application_sid: application_sid || null,
})

export const domainTaken = 'The domain name you have entered is already in use.'

/** What is taken is answered with 422, on the platform's own server without the field. */
export const toFieldErrors = ({ status, field, message }: ApiError): FieldErrors<TenantValues> => {
  if (status === 422) return { tenant_fqdn: domainTaken }
  return field === 'tenant_fqdn' || field === 'account_sid' || field === 'application_sid' ? { [field]: message } : {}
}
