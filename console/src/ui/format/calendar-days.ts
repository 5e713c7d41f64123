import { dayMs } from '@patchbay/contract/shared/durations'
import { toZonedDate } from './datetime.ts'

/** Finds calendar days in a time zone. */

/** Returns the local time of an instant as if it were in UTC, in whole seconds. */
export const toLocalMs = (at: Date, timeZone: string): number =>
  Math.floor(toZonedDate(at, timeZone).getTime() / 1000) * 1000

/**
 * Returns the instant of a local time, which is given as if it were in UTC, in whole seconds. A time that a change of the
 * clock skips, such as midnight in Chile, is the one after the change.
 */
export const toInstant = (localMs: number, timeZone: string): Date => {
  const guess = new Date(2 * localMs - toLocalMs(new Date(localMs), timeZone))
  // The offset of the zone can change between the guess and the result.
  const instant = new Date(guess.getTime() + localMs - toLocalMs(guess, timeZone))
  const skippedMs = Math.max(0, localMs - toLocalMs(instant, timeZone))
  return new Date(instant.getTime() + skippedMs)
}

/** Returns the beginning of a calendar day in a zone. */
export const startOfDay = (now: Date, daysAgo: number, timeZone: string): Date =>
  toInstant((Math.floor(toLocalMs(now, timeZone) / dayMs) - daysAgo) * dayMs, timeZone)
