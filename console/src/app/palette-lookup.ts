import { isSid } from '@patchbay/contract/shared/sids'
import { searchedNumber } from '@patchbay/rules/phone-number/searched-number'
import { queryOptions, useQuery } from '@tanstack/react-query'
import { callByIdQuery } from '../api/call-by-id.ts'
import { api } from '../api/client.ts'
import { toNumberPart } from '../api/search-number.ts'
import { queryCallOptions } from '../api/shared-queries.ts'
import { editPhoneNumber } from '../routes/phone-numbers.ts'
import { oneCall } from '../routes/recent-calls.ts'
import type { FoundRecord } from '../routes/record-link.ts'
import { useProviderSid } from '../session/current-provider.ts'
import { requiredSession } from '../session/session.ts'
import { usePhoneNumberFormat } from '../ui/format/phone-number-format.ts'
import { useDebouncedValue } from '../ui/use-debounced-value.ts'

/**
 * Looks up a phone number, a call SID, or a Call-ID, so that the command palette offers the record itself. Numbers and
 * calls are too many to be loaded as the other records are.
 */

/** A text is looked up after the user has stopped typing for this many milliseconds. */
const restMs = 200

/** A shorter text is a part of many numbers. */
const minDigits = 6

/** Returns whether a text can be a phone number, or a part of one. */
export const isNumber = (text: string): boolean => /^\+?[\d ().-]{3,20}$/.test(text)

/** Returns whether a text looks like a SIP Call-ID: `1f3a@10.0.0.7`, or a long identifier. */
const isCallId = (text: string): boolean => /^[^\s@]{4,}@[^\s@]+$/.test(text) || /^[\w.-]{20,}$/.test(text)

/** Returns whether a text can be the SID or the Call-ID of a call. */
export const isOfCall = (text: string): boolean => isSid(text) || isCallId(text)

/** The phone number with exactly these digits, if it exists. */
const numberQuery = (service_provider_sid: string, text: string) => {
  const digits = searchedNumber(text)?.digits ?? ''
  return queryOptions({
    queryKey: ['palette', 'number', service_provider_sid, digits],
    queryFn: async (context) => {
      const query = { service_provider_sid, filter: toNumberPart(text), page: '1', page_size: '25' }
      const options = { ...queryCallOptions(context), unasked: true }
      const { data } = await api('GET /patchbay/phone-numbers', { query }, options)
      return data.find(({ number }) => number === digits) ?? null
    },
    enabled: isNumber(text) && digits.length >= minDigits,
  })
}

interface LookedUp {
  number: FoundRecord | undefined
  call: FoundRecord | undefined
}

/** Returns the phone number and the call that a text identifies, if they exist. */
export const useLookup = (query: string): LookedUp => {
  const service_provider_sid = useProviderSid()
  const { account_sid } = requiredSession().actor
  const format = usePhoneNumberFormat()
  const text = useDebouncedValue(query, restMs)
  const number = useQuery(numberQuery(service_provider_sid, text)).data
  const owner = account_sid === null ? { service_provider_sid } : { account_sid }
  const call = useQuery({ ...callByIdQuery(owner, text), enabled: isOfCall(text) }).data
  // Offers nothing that was looked up for an earlier text.
  if (text !== query) return { number: undefined, call: undefined }
  return {
    number: number
      ? {
          label: format(number.number),
          sid: number.phone_number_sid,
          link: { to: editPhoneNumber.path, params: { phone_number_sid: number.phone_number_sid } },
        }
      : undefined,
    call: call?.call_sid
      ? {
          label: `${format(call.from ?? '')} to ${format(call.to ?? '')}`,
          sid: call.call_sid,
          link: { to: oneCall.path, params: { account_sid: call.account_sid, call_sid: call.call_sid } },
        }
      : undefined,
  }
}
