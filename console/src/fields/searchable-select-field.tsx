import { type Ref, useRef } from 'react'
import { SelectField, type SelectOption } from '../ui/fields/field.tsx'
import type { FieldFrameProps } from '../ui/fields/field-frame.tsx'
import { asRef, plainSelectLimit, useSearchSelect } from './use-lazy-search-select.ts'

export interface ChoiceFieldProps extends FieldFrameProps {
  label: string
  options: readonly SelectOption[]
  /** The name of the form field. */
  name?: string | undefined
  /** The label of the empty value. */
  placeholder?: string | undefined
  disabled?: boolean | undefined
  value: string
  onChange: (value: string) => void
  onBlur?: (() => void) | undefined
  /** The control, to set the focus. */
  ref?: Ref<HTMLElement> | undefined
}

/** A plain select for a few options, or a searchable select for many. */
export const SearchableSelectField = ({ ref, options, value, onChange, ...field }: ChoiceFieldProps) => {
  const container = useRef<HTMLDivElement>(null)
  const { Select } = useSearchSelect(options.length > plainSelectLimit, container)
  return (
    <div ref={container}>
      {Select ? (
        <Select {...field} look="field" options={options} value={value} onChange={onChange} ref={asRef(ref)} />
      ) : (
        <SelectField
          {...field}
          ref={asRef(ref)}
          options={options}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </div>
  )
}
