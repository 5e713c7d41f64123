import { dayMs } from '@patchbay/contract/shared/durations'
import { toInstant, toLocalMs } from '../../ui/format/calendar-days.ts'

/** Returns the same time of an earlier calendar day in a zone, in whole seconds. */
export const sameTimeBefore = (now: Date, daysAgo: number, timeZone: string): Date =>
  toInstant(toLocalMs(now, timeZone) - daysAgo * dayMs, timeZone)
