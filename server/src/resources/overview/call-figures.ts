import type { CallFigures, Overview } from '@patchbay/contract/overview'
import { hourMs } from '@patchbay/contract/shared/durations'
import { formatDay, toDayNumber } from '@patchbay/rules/calls/call-quality'
import { isDelivered } from '../../call-data/calls/aggregate-quality.ts'
import type { DayRange, HourlyCalls, OutcomeCount } from '../../call-data/calls/call-activity.ts'
import type { CallOwner, SearchContext, Window } from '../../call-data/calls/search-options.ts'
import type { Services } from '../services.ts'

/** The calls of an overview. Each query reads stored hourly or daily sums, whatever the number of calls. */

const maxStatuses = 5
const visibleHours = 24

const sum = (hours: readonly HourlyCalls[]) => ({
  attempts: hours.reduce((total, { attempts }) => total + attempts, 0),
  answered: hours.reduce((total, { answered }) => total + answered, 0),
})

const toFailures = (outcomes: readonly OutcomeCount[], { from, until }: DayRange): CallFigures['failures'] => {
  const calls = new Map<number, number>()
  for (const { answered, sip_status, calls: count } of outcomes)
    if (!isDelivered(answered, sip_status)) calls.set(sip_status, (calls.get(sip_status) ?? 0) + count)
  const statuses = [...calls]
    .map(([sip_status, count]) => ({ sip_status, calls: count }))
    .toSorted((a, b) => b.calls - a.calls || a.sip_status - b.sip_status)
  return {
    from: formatDay(from),
    until: formatDay(until),
    calls: statuses.reduce((total, status) => total + status.calls, 0),
    statuses: statuses.slice(0, maxStatuses),
  }
}

/** Yesterday and today in UTC, so that the range always contains the last 24 hours. */
export const outcomeDays = (now: number): DayRange => ({ from: toDayNumber(now) - 1, until: toDayNumber(now) })

/**
 * Returns the figures of calls.
 * @param today start of the caller's day, in milliseconds since the Unix epoch
 * @param lastWeek the same day of the caller one week ago, up to the same time
 * @param outcomes the outcomes of the days that `outcomeDays` returns
 */
export const readCallFigures = async (
  { callActivity }: Pick<Services, 'callActivity'>,
  owner: CallOwner,
  { now, today, lastWeek }: { now: number; today: number; lastWeek: Window },
  outcomes: readonly OutcomeCount[],
  searcher: SearchContext,
): Promise<CallFigures> => {
  // A window that ends with an hour needs no counting of the current one.
  const endOfHour = (Math.floor(now / hourMs) + 1) * hourMs - 1
  const firstHour = endOfHour + 1 - visibleHours * hourMs
  const [callsToday, callsLastWeek, lastHours] = await Promise.all([
    callActivity.countByHour(owner, { from: today, until: endOfHour }, searcher),
    callActivity.countByHour(owner, lastWeek, searcher),
    callActivity.countByHour(owner, { from: firstHour, until: endOfHour }, searcher),
  ])
  const counts = new Map(lastHours.map((counted) => [counted.hour, counted]))
  return {
    today: sum(callsToday),
    last_week: {
      ...sum(callsLastWeek),
      from: new Date(lastWeek.from).toISOString(),
      until: new Date(lastWeek.until).toISOString(),
    },
    hours: Array.from({ length: visibleHours }, (_, position) => {
      const hour = firstHour + position * hourMs
      const { attempts, answered } = counts.get(hour) ?? { attempts: 0, answered: 0 }
      return { hour: new Date(hour).toISOString(), attempts, answered }
    }),
    failures: toFailures(outcomes, outcomeDays(now)),
  }
}

/** The state of call records if nothing delivers them, with the setting that connects them. */
export const unconnectedCallData: Overview['call_data'] = {
  state: 'not_connected',
  setting: 'INTAKE_INFLUX',
  figures: null,
}

/** The state of calls in progress without Redis, with the setting that connects it. */
export const unconnectedLiveCalls: Overview['live_calls'] = {
  state: 'not_connected',
  setting: 'JAMBONES_REDIS_HOST',
  count: null,
}
