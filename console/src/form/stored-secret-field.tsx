import { use, useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { Button } from '../ui/button.tsx'
import { ReadOnlyFields } from '../ui/fields/field-frame.tsx'
import { PasswordField } from '../ui/fields/password-field.tsx'
import { ValueBox } from '../ui/format/sid.tsx'
import { useFields } from './use-fields.ts'

interface StoredSecretFieldProps {
  label: string
  /** The name of the form field. */
  name: string
  /** The mask of the stored secret, or an empty text if there is none. */
  stored: string
  required?: boolean
}

/**
 * A secret of which only the mask is known. The user replaces it as a whole. While the form contains the mask, the
 * stored secret is kept.
 */
export const StoredSecretField = ({ label, name, stored, required }: StoredSecretFieldProps) => {
  const field = useFields<Record<string, string>>()
  const { setValue, control } = useFormContext<Record<string, string>>()
  const value: unknown = useWatch({ control, name })
  const [replacing, setReplacing] = useState(false)
  const readOnly = use(ReadOnlyFields)
  const put = (text: string) => setValue(name, text, { shouldDirty: true })

  if (stored !== '' && value === stored)
    return (
      <ValueBox label={label}>
        <code>{stored}</code>
        {!readOnly && (
          <Button
            size="small"
            onClick={() => {
              setReplacing(true)
              put('')
            }}
          >
            Replace
            <span className="visually-hidden"> {label}</span>
          </Button>
        )}
      </ValueBox>
    )
  return (
    <PasswordField
      label={label}
      required={required}
      autoComplete="new-password"
      // oxlint-disable-next-line jsx-a11y/no-autofocus -- where the button was that has just been pressed
      autoFocus={replacing}
      labelAction={
        stored !== '' && (
          <Button size="small" variant="ghost" onClick={() => put(stored)}>
            Keep the stored value
          </Button>
        )
      }
      {...field(name)}
    />
  )
}
