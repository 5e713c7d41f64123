import { useQuery } from '@tanstack/react-query'
import { type Ref, useRef } from 'react'
import { accountsQuery } from '../api/queries.ts'
import { failureText } from '../api/failure.ts'
import { SelectField } from '../ui/field.tsx'
import { asRef, few, useSearchSelect } from './search-select.ts'

interface AccountFieldProps {
  /** whose accounts there are to choose from */
  service_provider_sid: string
  value: string
  onChange: (account_sid: string) => void
  onBlur?: () => void
  error?: string | undefined
  /** the control, for moving the focus to it */
  ref?: Ref<HTMLElement>
}

/** The account that a record belongs to. */
export const AccountField = ({ service_provider_sid, error, ref, ...field }: AccountFieldProps) => {
  const accounts = useQuery(accountsQuery(service_provider_sid))
  const options = (accounts.data ?? []).map(({ account_sid, name }) => ({ value: account_sid, label: name }))
  const place = useRef<HTMLDivElement>(null)
  const { Select } = useSearchSelect(options.length > few, place)
  const frame = { label: 'Account', required: true, error: accounts.isError ? failureText(accounts.error) : error }
  const { value, onChange, onBlur } = field
  return (
    <div ref={place}>
      {Select ? (
        <Select {...frame} {...field} look="field" options={options} placeholder="Choose an account" ref={asRef(ref)} />
      ) : (
        <SelectField
          {...frame}
          ref={asRef(ref)}
          options={options}
          placeholder={accounts.data?.length === 0 ? 'No accounts.' : 'Choose an account'}
          disabled={accounts.data?.length === 0}
          value={value}
          onBlur={onBlur}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </div>
  )
}
