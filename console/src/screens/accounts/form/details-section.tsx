import { accountLengths } from '@patchbay/contract/accounts/record'
import type { ReactNode } from 'react'
import { useFields } from '../../../form/use-fields.ts'
import { CheckboxField } from '../../../ui/fields/field.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { CopyField } from '../../../ui/format/sid.tsx'
import type { AccountValues } from './account-form.ts'

interface DetailsSectionProps {
  /** Set for an existing account only. */
  account_sid?: string
  /** Set for operators only: they choose the realm of an account. */
  canChangeRealm: boolean
  /** Set for admins only: they can enable the debug log. */
  canDebug: boolean
  /** Replaces the SIP realm field. */
  realm?: ReactNode
}

/** Name, SIP realm, and the debug log for admins. */
export const DetailsSection = ({ account_sid, canChangeRealm, canDebug, realm }: DetailsSectionProps) => {
  const field = useFields<AccountValues>()
  return (
    <FormSection title="Details" description="Name and SIP realm of the account.">
      {account_sid !== undefined && <CopyField label="Account SID" value={account_sid} />}
      <TextField label="Account name" required maxLength={accountLengths.name} autoComplete="off" {...field('name')} />
      {realm || (
        <TextField
          label="SIP realm"
          placeholder="sip.example.com"
          hint={
            canChangeRealm
              ? 'The domain that SIP devices of this account register with. It must be unique.'
              : 'The domain that SIP devices of this account register with. Your service provider sets it.'
          }
          readOnly={!canChangeRealm}
          autoComplete="off"
          spellCheck={false}
          {...field('sip_realm')}
        />
      )}
      {canDebug && (
        <CheckboxField
          label="Enable debug log for this account"
          hint="Logs every call of this account in full detail."
          {...field('enable_debug_log')}
        />
      )}
    </FormSection>
  )
}
