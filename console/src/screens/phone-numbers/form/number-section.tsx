import { isAtLeast } from '@patchbay/contract/api/access'
import { phoneNumberLengths } from '@patchbay/contract/phone-numbers/record'
import { useFormContext, useWatch } from 'react-hook-form'
import { AccountField } from '../../../fields/account-field.tsx'
import { ApplicationField } from '../../../fields/application-field.tsx'
import { CarrierField } from '../../../fields/carrier-field.tsx'
import { useFields, useSelection } from '../../../form/use-fields.ts'
import { requiredSession } from '../../../session/session.ts'
import { CheckboxField, SelectField } from '../../../ui/fields/field.tsx'
import { FieldRow, FormSection } from '../../../ui/fields/form-frame.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import { isTypedPattern, type NumberValues, numberHint } from './number-form.ts'

const applicationHint = 'Handles the calls. None: the default application of the carrier handles them.'

/** Number, account, carrier, and application. The number and the carrier of an existing number are read-only. */
export const NumberSection = ({ isNew, service_provider_sid }: { isNew: boolean; service_provider_sid: string }) => {
  const field = useFields<NumberValues>()
  const { control, setValue } = useFormContext<NumberValues>()
  const { actor } = requiredSession()
  const typed = useWatch({ control, name: 'number' })
  const account = useSelection<NumberValues>('account_sid')
  const carrier = useSelection<NumberValues>('voip_carrier_sid')
  const application = useSelection<NumberValues>('application_sid')
  const account_sid = account.value
  const chooseAccount = (chosen: string) => {
    account.onChange(chosen)
    // The application and the carrier may belong to the previous account.
    setValue('application_sid', '', { shouldDirty: true })
    if (isNew) setValue('voip_carrier_sid', '', { shouldDirty: true })
  }
  return (
    <FormSection title="Phone number" description="Carrier and application of the number.">
      <TextField
        label="Phone number"
        required={isNew}
        readOnly={!isNew}
        mono
        hint={
          isNew
            ? numberHint(typed)
            : 'Number and carrier can’t be changed. Add another number and delete this one instead.'
        }
        maxLength={isNew ? phoneNumberLengths.number + 40 : undefined}
        autoComplete="off"
        spellCheck={false}
        {...field('number')}
      />
      {isNew && isTypedPattern(typed) && (
        <CheckboxField
          label="Store as a pattern"
          hint="Calls to all numbers that the pattern matches use this application."
          {...field('is_pattern')}
        />
      )}
      <FieldRow>
        {isAtLeast(actor.scope, 'service_provider') && (
          <AccountField {...account} onChange={chooseAccount} service_provider_sid={service_provider_sid} />
        )}
        <div data-read-only={!isNew || undefined}>
          <CarrierField {...carrier} label="Carrier" required={isNew} disabled={!isNew} account_sid={account_sid} />
        </div>
        {account_sid === '' ? (
          <SelectField
            label="Application"
            hint="Choose an account to see its applications."
            placeholder="None"
            options={[]}
            disabled
          />
        ) : (
          <ApplicationField {...application} label="Application" hint={applicationHint} owner={{ account_sid }} />
        )}
      </FieldRow>
    </FormSection>
  )
}
