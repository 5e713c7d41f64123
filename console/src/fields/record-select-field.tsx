import { type QueryKey, type UseQueryOptions, useQuery } from '@tanstack/react-query'
import { type Ref, useRef, useState } from 'react'
import { errorMessage } from '../api/api-error.ts'
import { SelectField, type SelectOption } from '../ui/fields/field.tsx'
import { useDebouncedValue } from '../ui/use-debounced-value.ts'
import { asRef, plainSelectLimit, useSearchSelect } from './use-lazy-search-select.ts'

/** Selects a record. A few records are options of a plain select. Many records can be searched by name. */

export interface RecordFieldProps {
  label: string
  labelHidden?: boolean
  hint?: string
  required?: boolean
  disabled?: boolean
  /** The name of the form field. */
  name?: string
  /** A SID, or an empty text for no record. */
  value: string
  onChange: (sid: string) => void
  onBlur?: (() => void) | undefined
  error?: string | undefined
  /** The control, to set the focus. */
  ref?: Ref<HTMLElement> | undefined
}

interface Found<Row> {
  total: number
  data: readonly Row[]
}

/** The queries and labels of the records. */
interface Source<Row, One, FoundKey extends QueryKey, OneKey extends QueryKey> {
  /** The singular noun, such as "application". */
  noun: string
  /** Returns the query for the first records whose name contains the text, and their total number. */
  searchQuery: (name: string) => UseQueryOptions<Found<Row>, Error, Found<Row>, FoundKey>
  one: (sid: string) => UseQueryOptions<One, Error, One, OneKey>
  toOption: (row: Row | One) => SelectOption
  /** The choices for no record, such as none, if there are any. */
  none?: readonly SelectOption[]
}

interface SourcedFieldProps<Row, One, FoundKey extends QueryKey, OneKey extends QueryKey> extends RecordFieldProps {
  source: Source<Row, One, FoundKey, OneKey>
}

/** The search starts after the user has stopped typing for this many milliseconds. */
const restMs = 200

/** Returns the option for the selected record. Reads its name if the record is not among the options. */
const useChosen = <Row, One, FoundKey extends QueryKey, OneKey extends QueryKey>(
  { noun, one, toOption }: Source<Row, One, FoundKey, OneKey>,
  value: string,
  options: readonly SelectOption[],
  isKnown: boolean,
): SelectOption => {
  const [last, setLast] = useState<SelectOption>()
  const listed = [...options, ...(last ? [last] : [])].find((option) => option.value === value)
  if (listed !== undefined && listed.value !== last?.value) setLast(listed)
  const { data, isError } = useQuery({ ...one(value), enabled: isKnown && value !== '' && listed === undefined })
  if (listed !== undefined) return listed
  if (data !== undefined) return { ...toOption(data), value }
  return { value, label: isError ? `Unknown ${noun} ${value}` : 'Loading…' }
}

/** A field that selects a record. Reads the first records, and searches on the server if there are more. */
export const RecordSelectField = <Row, One, FoundKey extends QueryKey, OneKey extends QueryKey>(
  props: SourcedFieldProps<Row, One, FoundKey, OneKey>,
) => {
  const { source, label, labelHidden, hint, required, disabled, name, value, onChange, onBlur, ref } = props
  const [text, setText] = useState('')
  const debouncedText = useDebouncedValue(text.trim(), restMs)
  const first = useQuery(source.searchQuery(''))
  const matches = useQuery(source.searchQuery(debouncedText))
  const records = (matches.data?.data ?? []).map(source.toOption)
  const none = source.none ?? []
  const options = [...none, ...records]
  const chosen = useChosen(source, value, options, !first.isPending)
  const container = useRef<HTMLDivElement>(null)
  const { Select } = useSearchSelect((first.data?.total ?? 0) > plainSelectLimit, container)
  const error = first.isError ? errorMessage(first.error) : props.error
  const frame = { label, labelHidden, hint, required, error }
  const isSearching = text.trim() !== debouncedText || matches.isPlaceholderData
  const nothing = matches.isError ? errorMessage(matches.error) : isSearching ? 'Searching…' : undefined
  const isListed = options.some((option) => option.value === value)
  const placeholder = none.some((choice) => choice.value === '')
    ? undefined
    : `Choose ${/^[aeiou]/.test(source.noun) ? 'an' : 'a'} ${source.noun}`
  return (
    <div ref={container}>
      {Select ? (
        <Select
          {...frame}
          look="field"
          name={name}
          disabled={disabled}
          placeholder={placeholder}
          options={text === '' ? options : isSearching ? [] : records}
          value={value}
          onChange={onChange}
          onBlur={onBlur}
          search={{
            onType: setText,
            chosen: value === '' ? none.find((choice) => choice.value === '') : chosen,
            nothing,
          }}
          ref={asRef(ref)}
        />
      ) : (
        <SelectField
          {...frame}
          ref={asRef(ref)}
          name={name}
          disabled={disabled}
          placeholder={placeholder}
          options={value === '' || isListed ? options : [...none, chosen, ...records]}
          value={value}
          onBlur={onBlur}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </div>
  )
}
