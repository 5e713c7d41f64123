import type { ApiKey } from '@patchbay/contract/api-keys'
import { lastKeyEnd } from '@patchbay/contract/api-keys/expiry'
import { dayMs } from '@patchbay/contract/shared/durations'

/** When a new API key shall end. */

export const keyEnds = [
  { value: '', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'day', label: 'On a date' },
] as const

export type KeyEnd = (typeof keyEnds)[number]['value']

/**
 * Returns the end of a key that replaces another: after as many days, or the choice below. A key that ends has no
 * successor that never ends, unless the user chooses it.
 */
export const suggestExpiry = ({ created_at, expires_at }: Pick<ApiKey, 'created_at' | 'expires_at'>): KeyEnd => {
  if (expires_at === null) return ''
  const days = Math.round((Date.parse(expires_at) - Date.parse(created_at ?? '')) / dayMs)
  return keyEnds.findLast(({ value }) => Number(value) > 0 && Number(value) <= days)?.value ?? '7'
}

/** Why no key can end on that day (2026-11-22). */
const validateDay = (end: number, now: number): string | undefined => {
  if (Number.isNaN(end)) return 'Choose a day'
  if (end <= now) return 'Choose a day in the future'
  return end > Date.parse(lastKeyEnd) ? 'Choose a day before 19 January 2038' : undefined
}

/**
 * Parses the chosen expiry: an instant, null for never, or an error message. Days are in the time zone of the browser.
 */
export const parseExpiry = (
  choice: string,
  day: string,
  now = Date.now(),
): { at: string | null } | { fault: string } => {
  if (choice === '') return { at: null }
  const end = choice === 'day' ? new Date(`${day}T23:59:59`).getTime() : now + Number(choice) * dayMs
  const fault = validateDay(end, now)
  return fault === undefined ? { at: new Date(end).toISOString() } : { fault }
}
