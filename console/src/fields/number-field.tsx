import { formatPhoneNumber } from '@patchbay/rules/phone-number/format'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { type ChangeEvent, useState } from 'react'
import { api } from '../api/client.ts'
import { choicePageSize } from '../api/record-queries.ts'
import { toNumberPart } from '../api/search-number.ts'
import { queryCallOptions } from '../api/shared-queries.ts'
import { useProviderSid } from '../session/current-provider.ts'
import type { TextFieldProps } from '../ui/fields/text-field.tsx'
import { useDebouncedValue } from '../ui/use-debounced-value.ts'
import { SuggestedField } from './suggested-field.tsx'

/** Existing numbers are searched after the user has stopped typing for this many milliseconds. */
const restMs = 200

/**
 * The first phone numbers that contain what the user typed.
 * @param account_sid limits them to those of an account; empty for all of the provider
 */
const numbersToChooseQuery = (service_provider_sid: string, account_sid: string, typed: string) =>
  queryOptions({
    queryKey: ['phone-numbers', 'choices', service_provider_sid, account_sid, typed],
    queryFn: (context) =>
      api(
        'GET /patchbay/phone-numbers',
        {
          query: {
            service_provider_sid,
            account_sid: account_sid || undefined,
            filter: toNumberPart(typed) || undefined,
            page: '1',
            page_size: String(choicePageSize),
          },
        },
        queryCallOptions(context),
      ),
    placeholderData: keepPreviousData,
  })

interface NumberFieldProps extends Omit<TextFieldProps, 'list'> {
  /** Offers only numbers of this account. Empty for all numbers of the service provider. */
  account_sid: string
}

/** A field for a phone number, or a part of one, which offers the existing numbers that contain it. */
export const NumberField = ({ account_sid, onChange, ...field }: NumberFieldProps) => {
  const service_provider_sid = useProviderSid()
  const [typed, setTyped] = useState(String(field.value ?? field.defaultValue ?? ''))
  const part = useDebouncedValue(typed.trim(), restMs)
  const { data } = useQuery(numbersToChooseQuery(service_provider_sid, account_sid, part))
  const change = (event: ChangeEvent<HTMLInputElement>) => {
    setTyped(event.target.value)
    onChange?.(event)
  }
  const suggestions = (data?.data ?? []).map(({ number, application_name }) => ({
    value: number,
    label: [formatPhoneNumber(number), application_name].filter(Boolean).join(', '),
  }))
  return <SuggestedField {...field} onChange={change} suggestions={suggestions} />
}
