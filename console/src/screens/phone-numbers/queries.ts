import type { numberAttention } from '@patchbay/contract/shared/attention-kinds'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { toNumberPart } from '../../api/search-number.ts'
import { queryCallOptions } from '../../api/shared-queries.ts'

/** Keys of all queries of phone numbers, which a change of several numbers outdates. */
export const numberKeys = [['phone-numbers'], ['phone-number']] as const

/** Filters of the phone number list. */
export interface NumberQuery {
  service_provider_sid: string
  account_sid: string | undefined
  /** The text as the user typed it. */
  filter: string | undefined
  attention?: (typeof numberAttention)[number] | undefined
}

/** Reads one page of the phone numbers that match the filters. */
export const readNumbers = (
  { filter, ...owner }: NumberQuery,
  page: { page: string; page_size: string },
  options: CallOptions,
) =>
  api('GET /patchbay/phone-numbers', { query: { ...owner, ...page, filter: filter && toNumberPart(filter) } }, options)

export const phoneNumbersQuery = (query: NumberQuery, page: { page: string; page_size: string }) =>
  queryOptions({
    queryKey: ['phone-numbers', query, page],
    queryFn: (context) => readNumbers(query, page, queryCallOptions(context)),
    placeholderData: keepPreviousData,
  })

export const phoneNumberQuery = (phone_number_sid: string) =>
  queryOptions({
    queryKey: ['phone-number', phone_number_sid],
    queryFn: (context) =>
      api('GET /PhoneNumbers/:phone_number_sid', { params: { phone_number_sid } }, queryCallOptions(context)),
  })
