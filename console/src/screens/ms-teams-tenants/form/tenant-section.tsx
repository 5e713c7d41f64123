import { msTeamsTenantLengths } from '@patchbay/contract/shared/column-lengths'
import { useController, useFormContext } from 'react-hook-form'
import { AccountField } from '../../../fields/account-field.tsx'
import { ApplicationField } from '../../../fields/application-field.tsx'
import { TextField } from '../../../ui/text-field.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'
import type { TenantValues } from './tenant-form.ts'

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
    <FormSection title="Tenant" description="Calls that Microsoft Teams sends from this domain.">
      <TextField
        label="Domain name"
        placeholder="customer.teams.example.com"
        hint="The domain that was set up for this customer in Microsoft Teams. No other tenant may have it."
        required
        maxLength={msTeamsTenantLengths.tenant_fqdn}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        error={formState.errors.tenant_fqdn?.message}
        {...domain}
      />
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
          account_sid={account.field.value}
          label="Application"
          hint="Answers the calls of this tenant."
          error={application.fieldState.error?.message}
        />
      )}
    </FormSection>
  )
}
