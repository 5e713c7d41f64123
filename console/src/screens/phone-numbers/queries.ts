import type { NamedPhoneNumber } from '@patchbay/contract/bulk-phone-numbers'
import { numberDigits } from '@patchbay/contract/phone-number/format'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, type CallOptions } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { escapeLike, queryCallOptions } from '../../api/queries.ts'

/** What of phone numbers is asked for. */
export interface NumberQuery {
  service_provider_sid: string
  account_sid: string | undefined
  /** as it is typed */
  filter: string | undefined
}

interface NumberPage {
  total: number
  data: NamedPhoneNumber[]
}

/** Whether the server takes many numbers at once. */
export const takesMany = (): boolean => config().extensions.has('many-phone-numbers')

/** Numbers are stored without a leading +. */
const filterSent = (filter: string): string => escapeLike((numberDigits(filter) ?? filter).replace(/^\+/, ''))

export const readNumbers = async (
  { filter, ...whose }: NumberQuery,
  page: { page: string; page_size: string },
  options: CallOptions,
): Promise<NumberPage> => {
  const query = { ...whose, ...page, filter: filter && filterSent(filter) }
  if (takesMany()) return api('GET /patchbay/phone-numbers', { query }, options)
  const { readFromWire } = await import('./platform-fallback.ts')
  return readFromWire(query, options)
}

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

/** As many as are read at once where all are wanted; any server gives as many. */
const pageSize = 2000

/** Every number that the filters show, each once, whatever is added meanwhile. */
export const allNumbers = async (
  query: NumberQuery,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<NamedPhoneNumber[]> => {
  const found = new Map<string, NamedPhoneNumber>()
  for (let page = 1; ; page += 1) {
    const { data, total } = await readNumbers(query, { page: String(page), page_size: String(pageSize) }, {})
    for (const number of data) found.set(number.phone_number_sid, number)
    onProgress(found.size, total)
    if (data.length < pageSize) return [...found.values()]
  }
}
