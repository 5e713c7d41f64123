import { dayMs } from '@patchbay/contract/shared/durations'
import { toDayNumber } from '@patchbay/rules/calls/call-quality'
import { type Cell, toCallQuality } from '../calls/aggregate-quality.ts'
import type { QualitySearch, QualityTotals } from '../calls/quality.ts'
import type { SearchContext } from '../calls/search-options.ts'
import type { InfluxDb, InfluxSums, SumRow } from './influxdb.ts'

/** Maximum number of final statuses to query. The calls of a platform usually end with a few dozen. */
const maxStatuses = 100

const buildQuery = ({ owner, from, until, trunk, direction }: QualitySearch) => {
  const exactMatches = { ...(trunk === undefined ? {} : { trunk }), ...(direction === undefined ? {} : { direction }) }
  return {
    measurement: 'cdrs' as const,
    owner,
    window: { from: from * dayMs, until: (until + 1) * dayMs - 1 },
    conditions: Object.keys(exactMatches).map((tag) => `"${tag}"::tag = $${tag}`),
    params: exactMatches,
  }
}

/** Returns a tag or a time of a row. Empty if absent. */
export const readText = (row: SumRow, name: string): string => String(row[name] ?? '')

const toCell = (row: SumRow, sip_status: number): Cell => ({
  answered: row['answered'] === 'true',
  sip_status,
  calls: Number(row['calls'] ?? 0),
  seconds: Number(row['seconds'] ?? 0),
  pdd_calls: 0,
  pdd_milliseconds: 0,
})

/** Returns the final statuses of calls, at most `maxStatuses`. */
export const listStatuses = async (
  influx: InfluxDb,
  query: Omit<InfluxSums, 'select' | 'by'>,
  searcher: SearchContext | undefined,
): Promise<number[]> => {
  const rows = await influx.sums({ ...query, select: 'DISTINCT("sip_status") AS "status"', by: [] }, searcher)
  return rows.slice(0, maxStatuses).flatMap(({ status }) => (typeof status === 'number' ? [status] : []))
}

/**
 * Computes call quality from call records that jambonz itself writes to InfluxDB. The final status is a field there,
 * and InfluxQL cannot group by fields. The search therefore lists the statuses first and then queries the sums of each
 * one. Post-dial delay is not available because jambonz stores traces elsewhere.
 */
export const createInfluxQuality = (influx: InfluxDb): QualityTotals => {
  const queryCells = async (
    search: QualitySearch,
    statuses: readonly number[],
    searcher: SearchContext | undefined,
    by: readonly string[],
  ) => {
    const query = buildQuery(search)
    const cells = []
    for (const status of statuses) {
      const rows = await influx.sums(
        {
          ...query,
          conditions: [...query.conditions, `"sip_status" = ${status}`],
          select: 'COUNT("duration") AS "calls", SUM("duration") AS "seconds"',
          by: ['"answered"', ...by],
        },
        searcher,
      )
      cells.push(...rows.map((row) => ({ row, ...toCell(row, status) })))
    }
    return cells
  }
  return {
    async getTotals(search, searcher) {
      const isProvider = 'service_provider_sid' in search.owner
      const statuses = await listStatuses(influx, buildQuery(search), searcher)
      const [days, kinds] = await Promise.all([
        queryCells(search, statuses, searcher, ['time(1d)']),
        queryCells(search, statuses, searcher, ['"trunk"', '"direction"', ...(isProvider ? ['"account_sid"'] : [])]),
      ])
      return toCallQuality({
        days: days.map(({ row, ...cell }) => ({ ...cell, day: toDayNumber(Date.parse(readText(row, 'time'))) })),
        trunks: kinds.map(({ row, ...cell }) => ({ ...cell, trunk: readText(row, 'trunk') })),
        directions: kinds.map(({ row, ...cell }) => ({ ...cell, direction: readText(row, 'direction') })),
        accounts: isProvider
          ? kinds.map(({ row, ...cell }) => ({ ...cell, account_sid: readText(row, 'account_sid') }))
          : [],
      })
    },
  }
}
