import { formatPhoneNumber } from '@patchbay/rules/phone-number/format'
import { useSyncExternalStore } from 'react'

/** Returns a number for display, such as `+1 (508) 308-4809`. Returns SIP users, URIs, and names unchanged. */
export type FormatNumber = (number: string) => string

/** E.164 numbers have at most 15 digits (ITU-T E.164 section 6.2.1). Shorter numbers than 7 are internal extensions. */
const maybeInternational = /^\+?[1-9]\d{6,14}$/

/** Formats North American numbers itself, and passes numbers that are or can be of other countries to `formatOther`. */
const createFormat =
  (formatOther: FormatNumber): FormatNumber =>
  (number) => {
    const formatted = formatPhoneNumber(number)
    return formatted === number && maybeInternational.test(number) ? formatOther(number) : formatted
  }

const listeners = new Set<() => void>()
let isLoading = false

const loadNumberingPlans = async (): Promise<void> => {
  if (isLoading) return
  isLoading = true
  try {
    const { formatInternational } = await import('./international-phone-number.ts')
    format = createFormat(formatInternational)
    for (const listener of listeners) listener()
  } catch {
    // Numbers stay ungrouped until the next one is displayed.
    isLoading = false
  }
}

let format = createFormat((number) => {
  void loadNumberingPlans()
  return number
})

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Returns the function that formats phone numbers for display. The first number that can be outside North America loads the
 * numbering plans of all countries (29 kB), and then the component renders again.
 */
export const usePhoneNumberFormat = (): FormatNumber => useSyncExternalStore(subscribe, () => format)
