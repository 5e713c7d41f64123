/** How well calls went through: what is counted, and the ratios of the trade (ITU-T E.411, E.425; RFC 6076). */

/** Sums over some calls. */
export interface CallFigures {
  attempts: number
  /** calls that were answered */
  answered: number
  /** calls that the network brought to whom was called: answered, busy, rung out or declined */
  delivered: number
  /** that were talked */
  seconds: number
  /** calls of which it is known how long they took to ring, and their delays together, in milliseconds */
  pdd_calls: number
  pdd_milliseconds: number
}

export const noCalls: CallFigures = {
  attempts: 0,
  answered: 0,
  delivered: 0,
  seconds: 0,
  pdd_calls: 0,
  pdd_milliseconds: 0,
}

const ratio = (part: number, whole: number): number | undefined => (whole === 0 ? undefined : part / whole)

/** Answer-seizure ratio, 0 to 1. */
export const asr = ({ answered, attempts }: CallFigures): number | undefined => ratio(answered, attempts)

/** Network effectiveness ratio, 0 to 1: what the one who is called decides does not count against the network. */
export const ner = ({ delivered, attempts }: CallFigures): number | undefined => ratio(delivered, attempts)

/** Average call duration, in seconds, of answered calls. */
export const acd = ({ seconds, answered }: CallFigures): number | undefined => ratio(seconds, answered)

/** Post-dial delay, in seconds: from dialling to the first ring, where it is known. */
export const pdd = ({ pdd_milliseconds, pdd_calls }: CallFigures): number | undefined =>
  ratio(pdd_milliseconds / 1000, pdd_calls)

export const dayMilliseconds = 86_400_000

/** The number of a day since the epoch, in UTC, of epoch milliseconds. */
export const toDayNumber = (milliseconds: number): number => Math.floor(milliseconds / dayMilliseconds)

/** YYYY-MM-DD of the number of a day. */
export const formatDay = (day: number): string => new Date(day * dayMilliseconds).toISOString().slice(0, 10)
