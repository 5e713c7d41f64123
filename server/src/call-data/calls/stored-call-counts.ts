import { areDurationsCounted } from '@patchbay/rules/calls/call-durations'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { listFilters, resultConditions } from './call-conditions.ts'
import type { CallSearch } from './calls.ts'
import { type Bucket, hourWindow } from './page-windows.ts'
import { ownerColumn } from './search-options.ts'

/**
 * Reads of the stored call counts. They provide totals without counting the calls, and locate the hours that contain the
 * calls of a page.
 */

type HourTable = 'patchbay_call_hours' | 'patchbay_call_outcomes' | 'patchbay_call_applications'

/** Complete hours since the epoch, both inclusive. */
interface Hours {
  first: number
  last: number
}

/** Returns whether the counts by outcome cover the filters of a search, because those by hour do not. */
export const filtersOutcome = ({ sip_status, result, min_duration, max_duration }: CallSearch): boolean =>
  [sip_status, result, min_duration, max_duration].some((filter) => filter !== undefined)

/** Returns whether a search needs a scan because no stored count covers its filters. */
export const needsScan = (search: CallSearch): boolean => {
  const { text, number, application_sid, trunk } = search
  if (text || number !== undefined || !areDurationsCounted(search)) return true
  return application_sid !== undefined && (trunk !== undefined || filtersOutcome(search))
}

/** Returns the table whose counts a search needs, and the conditions on its columns. */
const selectCounts = (search: CallSearch): { table: HourTable; filters: RawBuilder<boolean>[] } => {
  const { application_sid, direction, answered, sip_status, result, min_duration = 0, max_duration } = search
  const kinds = listFilters(application_sid === undefined ? search : { direction, answered })
  const filters = kinds.map(([name, value]) => sql<boolean>`${sql.ref(name)} = ${value}`)
  if (application_sid !== undefined)
    return { table: 'patchbay_call_applications', filters: [sql`application_sid = ${application_sid}`, ...filters] }
  if (!filtersOutcome(search) || needsScan(search))
    return { table: 'patchbay_call_hours', filters: [sql`by_kind = ${kinds.length > 0 ? 1 : 0}`, ...filters] }
  return {
    table: 'patchbay_call_outcomes',
    filters: [
      sql`min_seconds >= ${min_duration}`,
      ...(max_duration === undefined ? [] : [sql<boolean>`min_seconds <= ${max_duration}`]),
      ...(sip_status === undefined ? [] : [sql<boolean>`sip_status = ${sip_status}`]),
      ...resultConditions(result),
      ...filters,
    ],
  }
}

/** Reads the stored counts that cover most filters of a search. Filters that need a scan are left out. */
export const readStoredCounts = async (
  reader: Kysely<Tables>,
  search: CallSearch,
  { first, last }: Hours,
): Promise<Bucket[]> => {
  const { table, filters } = selectCounts(search)
  const [, owner_sid] = ownerColumn(search.owner)
  const { rows } = await sql<{ hour: number; calls: number | string }>`
    select hour, sum(calls) as calls from ${sql.table(table)}
    where owner_sid = ${owner_sid} and hour >= ${first} and hour <= ${last} and ${sql.join(filters, sql` and `)}
    group by hour`.execute(reader)
  return rows.map(({ hour, calls }) => ({ ...hourWindow(hour), calls: Number(calls) }))
}
