import { speechCredentialLengths as lengths } from '@patchbay/contract/speech-credentials/record'
import { maxGenericFields } from '@patchbay/rules/speech/generic'
import { Plus, Trash2 } from 'lucide-react'
import { useFieldArray } from 'react-hook-form'
import { useFields, useRowFields } from '../../../form/use-fields.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { PasswordField } from '../../../ui/fields/password-field.tsx'
import { TextField } from '../../../ui/fields/text-field.tsx'
import styles from './custom-voices.module.css'
import type { SpeechValues } from './speech-form.ts'

/** Fields of a vendor that Patchbay does not know, by name and value. */
export const GenericFields = () => {
  const field = useRowFields<SpeechValues>()
  const { fields, append, remove } = useFieldArray<SpeechValues, 'fields'>({ name: 'fields' })
  return (
    <FormSection
      title="Fields"
      description="Credentials and settings of the vendor, with the names that the platform expects. All values are treated as secrets and shown masked."
    >
      <TextField
        label="Vendor name"
        hint="As the platform spells it, such as fishaudio. Patchbay stores the service without knowing the vendor."
        required
        mono
        autoCapitalize="none"
        maxLength={lengths.vendor}
        {...useFields<SpeechValues>()('name')}
      />
      {fields.map(({ id }, at) => (
        <fieldset key={id} className={styles['voice']} aria-label={`Field ${at + 1}`}>
          <div className={styles['head']}>
            <TextField
              label="Field name"
              required
              mono
              maxLength={64}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              {...field(`fields.${at}.name`)}
            />
            <IconButton
              label={`Remove field ${at + 1}`}
              disabledReason={fields.length === 1 ? 'A service needs at least one field.' : undefined}
              onClick={() => remove(at)}
            >
              <Trash2 size={15} aria-hidden="true" />
            </IconButton>
          </div>
          <PasswordField
            label="Value"
            required
            maxLength={lengths.member}
            autoComplete="new-password"
            {...field(`fields.${at}.value`)}
          />
        </fieldset>
      ))}
      {fields.length < maxGenericFields && (
        <div>
          <Button
            size="small"
            icon={<Plus size={14} aria-hidden="true" />}
            onClick={() => append({ name: '', value: '' })}
          >
            Add field
          </Button>
        </div>
      )}
    </FormSection>
  )
}
