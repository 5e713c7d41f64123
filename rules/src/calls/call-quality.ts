import type { CallFigures } from '@patchbay/contract/call-quality'
import { dayMs } from '@patchbay/contract/shared/durations'

/** Call quality figures and the standard ratios (ITU-T E.411, E.425; RFC 6076). */

export const noCalls: CallFigures = {
  attempts: 0,
  answered: 0,
  delivered: 0,
  blocked: 0,
  seconds: 0,
  pdd_calls: 0,
  pdd_milliseconds: 0,
}

const ratio = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : part / whole)

/** Returns the answer-seizure ratio, from 0 to 1, or undefined without calls. */
export const asr = ({ answered, attempts }: CallFigures): number | undefined => ratio(answered, attempts)

/**
 * Returns the network effectiveness ratio, from 0 to 1, or undefined without calls. Calls that the called party rejects
 * or does not answer count as successful.
 */
export const ner = ({ delivered, attempts }: CallFigures): number | undefined => ratio(delivered, attempts)

/** Returns the average duration of answered calls in seconds, or undefined without answered calls. */
export const acd = ({ seconds, answered }: CallFigures): number | undefined => ratio(seconds, answered)

/**
 * Returns the average post-dial delay in seconds: the time from dialing to the first ring. Ignores calls with an
 * unknown delay. Undefined if the delay of no call is known.
 */
export const pdd = ({ pdd_milliseconds, pdd_calls }: CallFigures): number | undefined =>
  ratio(pdd_milliseconds / 1000, pdd_calls)

/** Converts milliseconds since the Unix epoch to the number of days since the epoch, in UTC. */
export const toDayNumber = (milliseconds: number): number => Math.floor(milliseconds / dayMs)

/** Converts a first and a last day, as YYYY-MM-DD, to day numbers. */
export const toDayRange = ({ from, until }: { from: string; until: string }): { from: number; until: number } => ({
  from: toDayNumber(Date.parse(from)),
  until: toDayNumber(Date.parse(until)),
})

/** Formats a day number as YYYY-MM-DD. */
export const formatDay = (day: number): string => new Date(day * dayMs).toISOString().slice(0, 10)

/** Returns the range of the last `days` days including today, in UTC like the daily sums of the server. */
export const lastDays = (days: number, now = Date.now()): { from: string; until: string } => ({
  from: formatDay(toDayNumber(now) - days + 1),
  until: formatDay(toDayNumber(now)),
})
