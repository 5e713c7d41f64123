import { formatPhoneNumber } from '@patchbay/contract/phone-number/format'
import { useSyncExternalStore } from 'react'

/** Returns a number for display, such as `+1 (508) 308-4809`. Returns SIP users, URIs, and names unchanged. */
export type FormatNumber = (number: string) => string

/** E.164 numbers have at most 15 digits (ITU-T E.164 section 6.2.1). Shorter numbers than 7 are internal extensions. */
const maybeInternational = /^\+?[1-9]\d{6,14}$/

const listeners = new Set<() => void>()
let isLoading = false

const load = async (): Promise<void> => {
  if (isLoading) return
  isLoading = true
  try {
    const { formatInternational } = await import('./international-phone-number.ts')
    format = (number) => {
      const formatted = formatPhoneNumber(number)
      return formatted === number && maybeInternational.test(number) ? formatInternational(number) : formatted
    }
    for (const listener of listeners) listener()
  } catch {
    // Numbers stay ungrouped until the next one is displayed.
    isLoading = false
  }
}

/** Formats North American numbers, and starts to load the numbering plans when the first other number is displayed. */
let format: FormatNumber = (number) => {
  const formatted = formatPhoneNumber(number)
  if (formatted === number && maybeInternational.test(number)) void load()
  return formatted
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Returns the function that formats phone numbers for display. The component renders again when the numbering plans of
 * countries outside North America are loaded, which takes 29 kB and happens only where such a number is displayed.
 */
export const usePhoneNumberFormat = (): FormatNumber => useSyncExternalStore(subscribe, () => format)
