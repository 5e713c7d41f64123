import { dayMilliseconds, toDayNumber } from '@patchbay/contract/shared/call-quality'
import type { InfluxDb, SumRow } from '../influxdb.ts'
import type { SearchContext } from './search-options.ts'
import type { Quality, QualitySearch } from './quality.ts'
import { type Cell, toCallQuality } from './aggregate-quality.ts'

/** Final answers that are asked for; the platform's calls end in a few dozen. */
const maxStatuses = 100

const askedFor = ({ owner, from, until, trunk, direction }: QualitySearch) => {
  const exactly = { ...(trunk === undefined ? {} : { trunk }), ...(direction === undefined ? {} : { direction }) }
  return {
    measurement: 'cdrs' as const,
    owner,
    window: { from: from * dayMilliseconds, until: (until + 1) * dayMilliseconds - 1 },
    conditions: Object.keys(exactly).map((tag) => `"${tag}"::tag = $${tag}`),
    params: exactly,
  }
}

const textOf = (row: SumRow, name: string): string => String(row[name] ?? '')

const cellOf = (row: SumRow, sip_status: number): Cell => ({
  answered: row['answered'] === 'true',
  sip_status,
  calls: Number(row['calls'] ?? 0),
  seconds: Number(row['seconds'] ?? 0),
  pdd_calls: 0,
  pdd_milliseconds: 0,
})

/**
 * From call records as the platform's own components keep them. How a call ended is a field there, by which InfluxQL does
 * not group: so its values are asked for first, and the sums then for one after the other. How long calls took to ring is
 * not known, since the platform keeps traces elsewhere.
 */
export const createInfluxQuality = (influx: InfluxDb): Quality => {
  const statusesOf = async (search: QualitySearch, searcher: SearchContext | undefined): Promise<number[]> => {
    const rows = await influx.sums(
      { ...askedFor(search), select: 'DISTINCT("sip_status") AS "status"', by: [] },
      searcher,
    )
    return rows.slice(0, maxStatuses).flatMap(({ status }) => (typeof status === 'number' ? [status] : []))
  }
  const cellsOf = async (
    search: QualitySearch,
    statuses: readonly number[],
    searcher: SearchContext | undefined,
    by: readonly string[],
  ) => {
    const asked = askedFor(search)
    const cells = []
    for (const status of statuses) {
      const rows = await influx.sums(
        {
          ...asked,
          conditions: [...asked.conditions, `"sip_status" = ${status}`],
          select: 'COUNT("duration") AS "calls", SUM("duration") AS "seconds"',
          by: ['"answered"', ...by],
        },
        searcher,
      )
      cells.push(...rows.map((row) => ({ row, ...cellOf(row, status) })))
    }
    return cells
  }
  return {
    async of(search, searcher) {
      const ofProvider = 'service_provider_sid' in search.owner
      const statuses = await statusesOf(search, searcher)
      const [days, kinds] = await Promise.all([
        cellsOf(search, statuses, searcher, ['time(1d)']),
        cellsOf(search, statuses, searcher, ['"trunk"', '"direction"', ...(ofProvider ? ['"account_sid"'] : [])]),
      ])
      return toCallQuality({
        days: days.map(({ row, ...cell }) => ({ ...cell, day: toDayNumber(Date.parse(textOf(row, 'time'))) })),
        trunks: kinds.map(({ row, ...cell }) => ({ ...cell, trunk: textOf(row, 'trunk') })),
        directions: kinds.map(({ row, ...cell }) => ({ ...cell, direction: textOf(row, 'direction') })),
        accounts: ofProvider
          ? kinds.map(({ row, ...cell }) => ({ ...cell, account_sid: textOf(row, 'account_sid') }))
          : [],
      })
    },
  }
}
