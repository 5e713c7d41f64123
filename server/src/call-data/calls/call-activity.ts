import { hourMs } from '@patchbay/contract/shared/durations'
import type { CallOwner, SearchContext, Window } from './search-options.ts'

/** Calls that were attempted in an hour. */
export interface HourlyCalls {
  /** Start of the hour, in milliseconds since the Unix epoch. */
  hour: number
  attempts: number
  answered: number
}

/** Number of calls with the same carrier and outcome. */
export interface OutcomeCount {
  /** Empty if the calls have no carrier. */
  trunk: string
  /** 0 if unknown. */
  sip_status: number
  answered: boolean
  calls: number
}

/** UTC days since the Unix epoch, both inclusive. */
export interface DayRange {
  from: number
  until: number
}

/** Number of calls of an owner over a carrier. */
export interface TrunkCount {
  owner_sid: string
  trunk: string
  answered: boolean
  calls: number
}

/** Owners (accounts and providers), names of carriers, and hours since the Unix epoch. None of the lists is empty. */
export interface TrunkSearch {
  owner_sids: readonly string[]
  trunks: readonly string[]
  hours: readonly number[]
}

/** Number of calls of an owner. */
export interface OwnerCount {
  owner_sid: string
  answered: boolean
  calls: number
}

/** Counts of recent calls. */
export interface CallActivity {
  /**
   * Returns the hours of a window that have calls, in ascending order. The first and the last hour count the calls in
   * the window only.
   */
  countByHour(owner: CallOwner, window: Window, searcher?: SearchContext): Promise<HourlyCalls[]>
  /** Returns the calls of days by carrier and outcome, in no order. */
  countOutcomes(owner: CallOwner, days: DayRange, searcher?: SearchContext): Promise<OutcomeCount[]>
  /** Counts the calls of owners by carrier, in any order. Absent if the store cannot count many carriers in one query. */
  countByTrunk?(search: TrunkSearch): Promise<TrunkCount[]>
  /**
   * Counts the calls of owners since an hour, in any order. Absent if the store cannot count many owners in one query.
   * @param owner_sids accounts and providers, at least one
   * @param firstHour hours since the Unix epoch
   */
  countByOwner?(owner_sids: readonly string[], firstHour: number): Promise<OwnerCount[]>
  /**
   * Returns whether a call of the owner is stored.
   * @param answeredFrom only answered calls since this time, in milliseconds since the Unix epoch, rounded down to the
   *   hour
   */
  hasCalls(owner: CallOwner, answeredFrom?: number, searcher?: SearchContext): Promise<boolean>
}

/** Sums counts of the same hour. */
export const sumByHour = (counts: readonly { time: number; answered: boolean; calls: number }[]): HourlyCalls[] => {
  const hours = new Map<number, HourlyCalls>()
  for (const { time, answered, calls } of counts) {
    const hour = Math.floor(time / hourMs) * hourMs
    const sum = hours.get(hour) ?? { hour, attempts: 0, answered: 0 }
    hours.set(hour, {
      hour,
      attempts: sum.attempts + calls,
      answered: sum.answered + (answered ? calls : 0),
    })
  }
  return [...hours.values()].filter(({ attempts }) => attempts > 0).toSorted((a, b) => a.hour - b.hour)
}
