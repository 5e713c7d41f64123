import type { SelectedResult } from '@patchbay/contract/shared/call-results'
import { toResultCondition } from '@patchbay/rules/calls/call-result'
import { type ExpressionBuilder, type RawBuilder, sql } from 'kysely'
import { contains, type EngineName, startsWith } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { sipStatus } from './call-counts.ts'
import { type CallFilter, type CallSearch, internationalPrefixes, type NumberPart } from './calls.ts'
import { ownerColumn, type Window } from './search-options.ts'

/** The SQL conditions of a search for calls. */

/** Filters for which the hourly counts have columns. */
type Filters = Pick<CallSearch, 'trunk' | 'direction' | 'answered'>

/** Returns the columns and values of the filters that all counts have. */
export const listFilters = ({ trunk, direction, answered }: Filters) =>
  [
    ...(trunk ? [['trunk', trunk] as const] : []),
    ...(direction ? [['direction', direction] as const] : []),
    ...(answered === undefined ? [] : [['answered', answered ? 1 : 0] as const]),
  ] as const

/** Matches a known status by its index, and an unknown one as the counts define it. */
const statusConditions = (engine: EngineName, status: number | undefined): RawBuilder<boolean>[] => {
  if (status === undefined) return []
  return [status === 0 ? sql`${sipStatus.stored(engine)} = 0` : sql`sip_status = ${status}`]
}

/** Returns the conditions of a result. All tables that contain or count calls by status have these columns. */
export const resultConditions = (result: SelectedResult | undefined): RawBuilder<boolean>[] => {
  if (result === undefined) return []
  const { answered, status } = toResultCondition(result)
  const condition = sql<boolean>`answered = ${answered ? 1 : 0}`
  if (status === undefined) return [condition]
  return 'in' in status
    ? [condition, sql`sip_status in (${sql.join(status.in)})`]
    : [
        condition,
        sql`sip_status between ${status.from} and ${status.until}`,
        sql`sip_status not in (${sql.join(status.except)})`,
      ]
}

/** Returns one condition for each way in which a number part can match the calling or called number. */
const numberMatches = (engine: EngineName, { text, isStart }: NumberPart) =>
  (['from', 'to'] as const).flatMap((column) =>
    isStart
      ? internationalPrefixes.map((prefix) => startsWith(engine, column, prefix + text))
      : [contains(engine, column, text)],
  )

/** Matches all filters of a search except the owner and the text. */
export const matchesFilter =
  (engine: EngineName, search: CallFilter, { from, until }: Window) =>
  (where: ExpressionBuilder<Tables, 'patchbay_calls'>) => {
    const { sip_status, result, min_duration, max_duration, application_sid, number } = search
    return where.and([
      where('attempted_at', '>=', from),
      where('attempted_at', '<=', until),
      ...listFilters(search).map(([name, value]) => where(name, '=', value)),
      ...statusConditions(engine, sip_status),
      ...resultConditions(result),
      ...(min_duration === undefined ? [] : [where('duration', '>=', min_duration)]),
      ...(max_duration === undefined ? [] : [where('duration', '<=', max_duration)]),
      ...(application_sid === undefined ? [] : [where('application_sid', '=', application_sid)]),
      ...(number === undefined ? [] : [where.or(numberMatches(engine, number))]),
    ])
  }

/** Matches all filters of a search. */
export const matching =
  (engine: EngineName, search: CallSearch, window: Window) => (where: ExpressionBuilder<Tables, 'patchbay_calls'>) => {
    const { text } = search
    const [column, sid] = ownerColumn(search.owner)
    return where.and([
      where(column, '=', sid),
      matchesFilter(engine, search, window)(where),
      ...(text
        ? [
            where.or([
              contains(engine, 'from', text),
              contains(engine, 'to', text),
              where('call_sid', '=', text),
              ...(search.trunks === undefined || search.trunks.length === 0
                ? []
                : [where('trunk', 'in', search.trunks)]),
            ]),
          ]
        : []),
    ])
  }
