import { useId } from 'react'
import { TextField, type TextFieldProps } from '../ui/fields/text-field.tsx'

export interface Suggestion {
  value: string
  /** Names what the value belongs to, beside it. */
  label?: string
}

/** A text field that offers values of existing records. Other values can be typed. */
export const SuggestedField = ({
  suggestions,
  ...field
}: Omit<TextFieldProps, 'list'> & { suggestions: readonly Suggestion[] }) => {
  const list = useId()
  return (
    <>
      <TextField {...field} autoComplete="off" list={list} />
      <datalist id={list}>
        {suggestions.map(({ value, label }) => (
          <option key={`${value} ${label}`} value={value} label={label} />
        ))}
      </datalist>
    </>
  )
}
