import { useQuery } from '@tanstack/react-query'
import { type Ref, useEffect, useRef, useState } from 'react'
import { failureText } from '../api/failure.ts'
import { applicationQuery, applicationsQuery } from '../api/queries.ts'
import { SelectField, type SelectOption } from '../ui/field.tsx'
import { asRef, few, useSearchSelect } from './search-select.ts'

interface ApplicationFieldProps {
  label: string
  hint: string
  /** whose applications there are to choose from */
  account_sid: string
  name: string
  /** empty for none */
  value: string
  onChange: (application_sid: string) => void
  onBlur?: () => void
  error?: string | undefined
  /** the control, for moving the focus to it */
  ref?: Ref<HTMLElement>
}

/** How long typing must rest before applications are looked for, in milliseconds. */
const restMs = 200

const useRested = (text: string): string => {
  const [rested, setRested] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setRested(text), restMs)
    return () => clearTimeout(timer)
  }, [text])
  return rested
}

const none: SelectOption = { value: '', label: 'None' }

/** The name of the application that is chosen, which may be none of those at hand, nor one that may be read. */
const useChosen = (value: string, options: readonly SelectOption[], isKnown: boolean): SelectOption => {
  const [last, setLast] = useState(none)
  const listed = [none, ...options, last].find((option) => option.value === value)
  if (listed !== undefined && listed.value !== last.value) setLast(listed)
  const { data, isError } = useQuery({ ...applicationQuery(value), enabled: isKnown && listed === undefined })
  if (listed !== undefined) return listed
  if (data !== undefined) return { value, label: data.name }
  return { value, label: isError ? `Unknown application ${value}` : 'Loading…' }
}

/** One of an account's applications, or none. A few are a plain select; of more some are at hand and others looked for. */
export const ApplicationField = ({ account_sid, error, ref, ...field }: ApplicationFieldProps) => {
  const { label, hint, name, value, onChange, onBlur } = field
  const [text, setText] = useState('')
  const wanted = useRested(text.trim())
  const first = useQuery(applicationsQuery(account_sid, ''))
  const found = useQuery(applicationsQuery(account_sid, wanted))
  const options = (found.data?.data ?? []).map((one) => ({ value: one.application_sid, label: one.name }))
  const chosen = useChosen(value, options, !first.isPending)
  const place = useRef<HTMLDivElement>(null)
  const { Select } = useSearchSelect((first.data?.total ?? 0) > few, place)
  const frame = { label, hint, error: first.isError ? failureText(first.error) : error }
  const isSearching = text.trim() !== wanted || found.isPlaceholderData
  const nothing = found.isError ? failureText(found.error) : isSearching ? 'Searching…' : undefined
  const unlisted = options.every((option) => option.value !== value) && value !== '' ? [chosen] : []
  return (
    <div ref={place}>
      {Select ? (
        <Select
          {...frame}
          look="field"
          name={name}
          options={text === '' ? [none, ...options] : isSearching ? [] : options}
          value={value}
          onChange={onChange}
          {...(onBlur ? { onBlur } : {})}
          search={{ onType: setText, chosen, nothing }}
          ref={asRef(ref)}
        />
      ) : (
        <SelectField
          {...frame}
          ref={asRef(ref)}
          name={name}
          options={[none, ...unlisted, ...options]}
          value={value}
          onBlur={onBlur}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </div>
  )
}
