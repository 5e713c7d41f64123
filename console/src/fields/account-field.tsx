import { useQuery } from '@tanstack/react-query'
import type { Ref } from 'react'
import { errorMessage } from '../api/api-error.ts'
import { accountsQuery } from '../api/shared-queries.ts'
import { SearchableSelectField } from './searchable-select-field.tsx'

interface AccountFieldProps {
  /** The service provider of the accounts. */
  service_provider_sid: string
  /** Defaults to "Account". */
  label?: string
  hint?: string
  /** The label of the choice for no account, whose value is an empty text. */
  all?: string | undefined
  /** Accounts that are not offered, unless one is chosen. */
  excluded?: ReadonlySet<string>
  disabled?: boolean
  value: string
  onChange: (account_sid: string) => void
  onBlur?: () => void
  error?: string | undefined
  /** The control, to set the focus. */
  ref?: Ref<HTMLElement>
}

/** Selects the account that a record belongs to. */
export const AccountField = (props: AccountFieldProps) => {
  const { service_provider_sid, label = 'Account', hint, all, excluded, error, ref, ...field } = props
  const accounts = useQuery(accountsQuery(service_provider_sid))
  const accountOptions = (accounts.data ?? [])
    .filter(({ account_sid }) => account_sid === field.value || !excluded?.has(account_sid))
    .map(({ account_sid, name }) => ({ value: account_sid, label: name }))
  const options = all === undefined ? accountOptions : [{ value: '', label: all }, ...accountOptions]
  const placeholder = accounts.data?.length === 0 ? 'No accounts.' : 'Choose an account'
  return (
    <SearchableSelectField
      {...field}
      label={label}
      hint={hint}
      required={all === undefined}
      error={accounts.isError ? errorMessage(accounts.error) : error}
      ref={ref}
      options={options}
      placeholder={all === undefined ? placeholder : undefined}
      disabled={field.disabled || (options.length === 0 && accounts.isSuccess)}
    />
  )
}
