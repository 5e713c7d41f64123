import { numberDigits } from '@patchbay/contract/rules/phone-numbers'
import type { CallDate } from './search.ts'

/** What the filters of recent calls ask of the API. */

/**
 * A number that is written with spaces, dashes or brackets is looked for by its digits. Our server looks for a text as it is; the platform's takes
 * it for a regular expression between slashes.
 */
export const filterSent = (filter: string, isPlain: boolean): string => {
  const text = /^\+?\d+$/.test(filter) ? filter : (numberDigits(filter) ?? filter)
  return isPlain ? text : text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

const midnight = (daysAgo: number, now: Date): Date =>
  new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo)

/** The period of a date choice as the API takes it: local days as UTC instants, or a rolling window. */
export const periodOf = (date: CallDate, now = new Date()): { start?: string; end?: string; days?: string } => {
  if (date === 'today') return { start: midnight(0, now).toISOString() }
  if (date !== 'yesterday') return { days: date }
  const end = new Date(midnight(0, now).getTime() - 1)
  return { start: midnight(1, now).toISOString(), end: end.toISOString() }
}
