import type { Scope } from '@patchbay/contract/api/access'
import { useFormContext, useWatch } from 'react-hook-form'
import { AccountField } from '../../../fields/account-field.tsx'
import { useFields, useSelection } from '../../../form/use-fields.ts'
import { scopeNames } from '../../../record/scope-labels.ts'
import { SelectField } from '../../../ui/fields/field.tsx'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import { noAccounts, type UserValues } from './user-form.ts'

interface OwnerSectionProps {
  /** Sorted from the widest scope to the narrowest. */
  scopes: readonly Scope[]
  /** Additional hint for an existing user. */
  hint?: string
  /** The provider that owns the selectable accounts. */
  service_provider_sid: string
  hasAccounts: boolean
}

const reach: Readonly<Record<Scope, string>> = {
  admin: 'Access to all service providers.',
  service_provider: 'The service provider and all its accounts.',
  account: 'One account.',
}

/** Scope of a user: the platform, a service provider, or an account. */
export const OwnerSection = ({ scopes, hint, service_provider_sid, hasAccounts }: OwnerSectionProps) => {
  const field = useFields<UserValues>()
  const { control } = useFormContext<UserValues>()
  const scope = useWatch({ control, name: 'scope' })
  // Registered from the start, so that an invalid account gets the focus before other invalid fields.
  const account = useSelection<UserValues>('account_sid')
  return (
    <FormSection title="Scope" description="Scope of access of this user.">
      <FieldRow>
        <SelectField
          label="Scope"
          hint={[reach[scope], hint].filter(Boolean).join(' ')}
          options={scopes.map((value) => ({ value, label: scopeNames[value] }))}
          {...field('scope')}
        />
        {scope === 'account' && (
          <AccountField
            {...account}
            service_provider_sid={service_provider_sid}
            error={hasAccounts ? account.error : noAccounts}
          />
        )}
      </FieldRow>
    </FormSection>
  )
}
