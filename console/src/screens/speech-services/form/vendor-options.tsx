import type { OptionsField } from '@patchbay/contract/speech/descriptor'
import { speechCredentialLengths as lengths } from '@patchbay/contract/speech-credentials/record'
import { use } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { useFields } from '../../../form/use-fields.ts'
import { Button } from '../../../ui/button.tsx'
import { CheckboxField, TextArea } from '../../../ui/fields/field.tsx'
import { ReadOnlyFields } from '../../../ui/fields/field-frame.tsx'
import { formatJson } from '../../../ui/format/json.ts'
import type { SpeechValues } from './speech-form.ts'

/** JSON editor for further options of the vendor. No options are stored while the checkbox is clear. */
export const VendorOptions = ({ part }: { part: OptionsField }) => {
  const { control, setValue } = useFormContext<SpeechValues>()
  const field = useFields<SpeechValues>()
  const name = `members.${part.name}` as const
  const text = String(useWatch({ control, name }) ?? '')
  const put = (value: string) => setValue(name, value, { shouldDirty: true, shouldValidate: true })
  const beautify = () => {
    try {
      put(formatJson(JSON.parse(text)))
    } catch {
      // Invalid JSON stays unchanged, and the field shows the error.
    }
  }
  const readOnly = use(ReadOnlyFields)
  return (
    <CheckboxField
      label={part.label}
      checked={text !== ''}
      onChange={({ target }) => put(target.checked ? formatJson(part.defaults) : '')}
    >
      {text !== '' && (
        <TextArea
          label="Options as JSON"
          rows={6}
          mono
          spellCheck={false}
          maxLength={lengths.member}
          labelAction={
            <span>
              {part.docs && (
                <a href={part.docs} target="_blank" rel="noreferrer">
                  Docs
                </a>
              )}{' '}
              {!readOnly && (
                <Button size="small" variant="ghost" onClick={beautify}>
                  Beautify
                </Button>
              )}
            </span>
          }
          {...field(name)}
        />
      )}
    </CheckboxField>
  )
}
