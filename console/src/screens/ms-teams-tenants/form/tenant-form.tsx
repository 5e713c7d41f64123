import type { MsTeamsTenant } from '@patchbay/contract/ms-teams-tenants'
import { msTeamsTenantLengths } from '@patchbay/contract/ms-teams-tenants/record'
import { useController, useFormContext } from 'react-hook-form'
import type { ApiError } from '../../../api/api-error.ts'
import { AccountField } from '../../../fields/account-field.tsx'
import { ApplicationField } from '../../../fields/application-field.tsx'
import type { FieldErrors } from '../../../form/server-errors.ts'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { requiredText, z } from '../../../zod.ts'

/** The Teams tenant form: its values, their conversion from and to the API, and its fields. */

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
export const isDuplicateDomain = ({ status }: Pick<ApiError, 'status'>): boolean => status === 422

export const toFieldErrors = (error: ApiError): FieldErrors<TenantValues> => {
  const { field, message } = error
  if (isDuplicateDomain(error)) return { tenant_fqdn: domainTaken }
  return field === 'tenant_fqdn' || field === 'account_sid' || field === 'application_sid' ? { [field]: message } : {}
}

interface TenantSectionProps {
  /** The provider that owns the selectable accounts. Absent for account users, who have only one account. */
  service_provider_sid?: string
}

/** Domain, account, and application of a Teams tenant. */
export const TenantSection = ({ service_provider_sid }: TenantSectionProps) => {
  const { register, formState } = useFormContext<TenantValues>()
  // Registered first, so that an invalid domain gets the focus before other invalid fields.
  const domain = register('tenant_fqdn')
  const account = useController<TenantValues, 'account_sid'>({ name: 'account_sid' })
  const application = useController<TenantValues, 'application_sid'>({ name: 'application_sid' })
  // The application is cleared, because it belongs to the previous account.
  const move = (account_sid: string) => {
    account.field.onChange(account_sid)
    application.field.onChange('')
  }
  return (
    <FormSection title="Tenant" description="Handles calls that Microsoft Teams sends from this domain.">
      <TextField
        label="Domain name"
        placeholder="customer.teams.example.com"
        hint="The domain of this customer in Microsoft Teams. It must be unique."
        required
        maxLength={msTeamsTenantLengths.tenant_fqdn}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={formState.errors.tenant_fqdn?.message}
        {...domain}
      />
      <FieldRow>
        {service_provider_sid !== undefined && (
          <AccountField
            {...account.field}
            onChange={move}
            service_provider_sid={service_provider_sid}
            error={account.fieldState.error?.message}
          />
        )}
        {account.field.value !== '' && (
          <ApplicationField
            {...application.field}
            key={account.field.value}
            owner={{ account_sid: account.field.value }}
            label="Application"
            hint="Handles the calls of this tenant."
            error={application.fieldState.error?.message}
          />
        )}
      </FieldRow>
    </FormSection>
  )
}
