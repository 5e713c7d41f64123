import { dayMs } from '@patchbay/contract/shared/durations'
import { type CallActivity, sumByHour } from '../calls/call-activity.ts'
import { allTime, type CallOwner, type SearchContext, type Window } from '../calls/search-options.ts'
import { listStatuses, readText } from './influx-quality.ts'
import type { InfluxDb } from './influxdb.ts'

/** Counts the calls that jambonz itself writes to InfluxDB, which aggregates them. */
export const createInfluxCallActivity = (influx: InfluxDb): CallActivity => {
  const sums = (
    owner: CallOwner,
    window: Window,
    searcher: SearchContext | undefined,
    { conditions = [], ...query }: { select: string; by: readonly string[]; conditions?: readonly string[] },
  ) => influx.sums({ measurement: 'cdrs', owner, window, conditions, params: {}, ...query }, searcher)
  const countCalls = 'COUNT("duration") AS "calls"'
  return {
    async countByHour(owner, window, searcher) {
      const rows = await sums(owner, window, searcher, { select: countCalls, by: ['"answered"', 'time(1h)'] })
      return sumByHour(
        rows.map((row) => ({
          time: Date.parse(readText(row, 'time')),
          answered: row['answered'] === 'true',
          calls: Number(row['calls'] ?? 0),
        })),
      )
    },
    async countOutcomes(owner, { from, until }, searcher) {
      const window = { from: from * dayMs, until: (until + 1) * dayMs - 1 }
      const query = { measurement: 'cdrs', owner, window, conditions: [], params: {} } as const
      const outcomes = []
      for (const sip_status of await listStatuses(influx, query, searcher)) {
        const rows = await sums(owner, window, searcher, {
          select: countCalls,
          by: ['"answered"', '"trunk"'],
          conditions: [`"sip_status" = ${sip_status}`],
        })
        outcomes.push(
          ...rows.map((row) => ({
            trunk: readText(row, 'trunk'),
            sip_status,
            answered: row['answered'] === 'true',
            calls: Number(row['calls'] ?? 0),
          })),
        )
      }
      return outcomes
    },
    async hasCalls(owner, answeredFrom, searcher) {
      const isAny = answeredFrom === undefined
      const rows = await sums(owner, isAny ? allTime : { ...allTime, from: answeredFrom }, searcher, {
        select: 'LAST("duration") AS "last"',
        by: [],
        conditions: isAny ? [] : [`"answered"::tag = 'true'`],
      })
      return rows.length > 0
    },
  }
}
