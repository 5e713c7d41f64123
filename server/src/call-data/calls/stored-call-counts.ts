import { areDurationsCounted } from '@patchbay/contract/shared/call-durations'
import type { Kysely } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import { listFilters } from './call-conditions.ts'
import type { CallSearch } from './calls.ts'
import { type Bucket, hourWindow } from './page-windows.ts'
import { ownerColumn } from './search-options.ts'

/**
 * Reads of the stored call counts. They provide totals without counting the calls, and locate the hours that contain the
 * calls of a page.
 */

/** Complete hours since the epoch, both inclusive. */
interface Hours {
  first: number
  last: number
}

/** Returns whether the counts by outcome cover the filters of a search, because those by hour do not. */
export const filtersOutcome = ({ sip_status, min_duration, max_duration }: CallSearch): boolean =>
  [sip_status, min_duration, max_duration].some((filter) => filter !== undefined)

/** Returns whether a search needs a scan because no stored count covers its filters. */
export const needsScan = (search: CallSearch): boolean => {
  const { text, number, application_sid, trunk } = search
  if (text || number !== undefined || !areDurationsCounted(search)) return true
  return application_sid !== undefined && (trunk !== undefined || filtersOutcome(search))
}

/** Reads the stored counts of an hour by application. */
const readApplicationCounts = async (
  reader: Kysely<Tables>,
  search: CallSearch,
  application_sid: string,
  { first, last }: Hours,
): Promise<Bucket[]> => {
  const { direction, answered } = search
  const rows = await reader
    .selectFrom('patchbay_call_applications')
    .select((select) => ['hour', select.fn.sum<number | string>('calls').as('calls')])
    .where((where) =>
      where.and([
        where('owner_sid', '=', ownerColumn(search.owner)[1]),
        where('application_sid', '=', application_sid),
        where('hour', '>=', first),
        where('hour', '<=', last),
        ...(direction ? [where('direction', '=', direction)] : []),
        ...(answered === undefined ? [] : [where('answered', '=', answered ? 1 : 0)]),
      ]),
    )
    .groupBy('hour')
    .execute()
  return rows.map(({ hour, calls }) => ({ ...hourWindow(hour), calls: Number(calls) }))
}

/** Reads the stored counts of an hour by outcome. */
const readOutcomeCounts = async (reader: Kysely<Tables>, search: CallSearch, hours: Hours): Promise<Bucket[]> => {
  const { sip_status, min_duration = 0, max_duration } = search
  const rows = await reader
    .selectFrom('patchbay_call_outcomes')
    .select((select) => ['hour', select.fn.sum<number | string>('calls').as('calls')])
    .where((where) =>
      where.and([
        where('owner_sid', '=', ownerColumn(search.owner)[1]),
        where('hour', '>=', hours.first),
        where('hour', '<=', hours.last),
        where('min_seconds', '>=', min_duration),
        ...(max_duration === undefined ? [] : [where('min_seconds', '<=', max_duration)]),
        ...(sip_status === undefined ? [] : [where('sip_status', '=', sip_status)]),
        ...listFilters(search).map(([name, value]) => where(name, '=', value)),
      ]),
    )
    .groupBy('hour')
    .execute()
  return rows.map(({ hour, calls }) => ({ ...hourWindow(hour), calls: Number(calls) }))
}

/** Reads the stored hourly counts. */
const readHourlyCounts = async (reader: Kysely<Tables>, search: CallSearch, hours: Hours): Promise<Bucket[]> => {
  const [, owner_sid] = ownerColumn(search.owner)
  const kinds = listFilters(search)
  const rows = await reader
    .selectFrom('patchbay_call_hours')
    .select((select) => ['hour', select.fn.sum<number | string>('calls').as('calls')])
    .where((where) =>
      where.and([
        where('owner_sid', '=', owner_sid),
        where('by_kind', '=', kinds.length > 0 ? 1 : 0),
        where('hour', '>=', hours.first),
        where('hour', '<=', hours.last),
        ...kinds.map(([name, value]) => where(name, '=', value)),
      ]),
    )
    .groupBy('hour')
    .execute()
  return rows.map(({ hour, calls }) => ({ ...hourWindow(hour), calls: Number(calls) }))
}

/** Reads the stored counts that cover most filters of a search. Filters that need a scan are left out. */
export const readStoredCounts = (reader: Kysely<Tables>, search: CallSearch, hours: Hours): Promise<Bucket[]> => {
  if (search.application_sid !== undefined) return readApplicationCounts(reader, search, search.application_sid, hours)
  return (filtersOutcome(search) && !needsScan(search) ? readOutcomeCounts : readHourlyCounts)(reader, search, hours)
}
