import { clientLengths } from '@patchbay/contract/clients/record'
import { maskClientPassword } from '@patchbay/rules/masking/masking'
import { use } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { AccountField } from '../../../fields/account-field.tsx'
import { useFields, useSelection } from '../../../form/use-fields.ts'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import { PasswordField } from '../../../ui/fields/password-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { type NewClientValues, randomPassword } from './client-form.ts'

interface CredentialsSectionProps {
  /** The provider that owns the selectable accounts. Absent for account users, who have only one account. */
  service_provider_sid?: string
}

/** Account of a new SIP client, and the credentials with which its device registers. */
export const CredentialsSection = ({ service_provider_sid }: CredentialsSectionProps) => {
  const field = useFields<NewClientValues>()
  const { setValue, control } = useFormContext<NewClientValues>()
  const account = useSelection<NewClientValues>('account_sid')
  const readOnly = use(ReadOnlyFields)
  const password = useWatch({ control, name: 'password' })
  const generate = () =>
    setValue(
      'password',
      randomPassword((bytes) => crypto.getRandomValues(bytes)),
      {
        shouldDirty: true,
        shouldTouch: true,
        shouldValidate: true,
      },
    )
  return (
    <FormSection title="Credentials" description="Credentials of the device. They can’t be changed later.">
      {service_provider_sid !== undefined && (
        <FieldRow>
          <AccountField {...account} service_provider_sid={service_provider_sid} />
        </FieldRow>
      )}
      <FieldRow>
        <TextField
          label="User name"
          hint="Enter the name without the realm, for example reception."
          required
          maxLength={clientLengths.username}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...field('username')}
        />
        <PasswordField
          label="Password"
          hint="Not shown again after you save. Copy it to the device now."
          required
          maxLength={clientLengths.password}
          autoComplete="new-password"
          labelAction={
            !readOnly && (
              <span>
                {password !== '' && (
                  <CopyButton value={password} label="Copy Password" displayText={maskClientPassword(password)} />
                )}
                <Button size="small" variant="ghost" onClick={generate}>
                  Generate
                  <span className="visually-hidden"> a password</span>
                </Button>
              </span>
            )
          }
          {...field('password')}
        />
      </FieldRow>
    </FormSection>
  )
}
