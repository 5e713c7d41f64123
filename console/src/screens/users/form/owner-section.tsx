import type { Scope } from '@patchbay/contract/access'
import { useController, useFormContext, useWatch } from 'react-hook-form'
import { AccountField } from '../../../fields/account-field.tsx'
import { scopeNames } from '../../../record/scope-labels.ts'
import { SelectField } from '../../../ui/field.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'
import { noAccounts, type UserValues } from './user-form.ts'

interface OwnerSectionProps {
  /** from the highest down */
  scopes: readonly Scope[]
  /** what goes for an existing user */
  hint?: string
  /** whose accounts there are to choose from */
  service_provider_sid: string
  hasAccounts: boolean
}

const reach: Readonly<Record<Scope, string>> = {
  admin: 'Everything of every service provider.',
  service_provider: 'The service provider and all its accounts.',
  account: 'One account.',
}

/** What a user may see: everything, a service provider, or an account. */
export const OwnerSection = ({ scopes, hint, service_provider_sid, hasAccounts }: OwnerSectionProps) => {
  const { register, formState, control } = useFormContext<UserValues>()
  const scope = useWatch({ control, name: 'scope' })
  // From the start, so that it is the first that has the focus when it is wrong.
  const account = useController<UserValues, 'account_sid'>({ name: 'account_sid' })
  return (
    <FormSection title="Scope" description="How much of the platform this user sees and manages.">
      <SelectField
        label="Scope"
        hint={[reach[scope], hint].filter(Boolean).join(' ')}
        options={scopes.map((value) => ({ value, label: scopeNames[value] }))}
        error={formState.errors.scope?.message}
        {...register('scope')}
      />
      {scope === 'account' && (
        <AccountField
          {...account.field}
          service_provider_sid={service_provider_sid}
          error={hasAccounts ? account.fieldState.error?.message : noAccounts}
        />
      )}
    </FormSection>
  )
}
