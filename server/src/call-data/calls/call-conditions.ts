import type { ExpressionBuilder } from 'kysely'
import { contains, type EngineName, startsWith } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
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
    const { sip_status, min_duration, max_duration, application_sid, number } = search
    return where.and([
      where('attempted_at', '>=', from),
      where('attempted_at', '<=', until),
      ...listFilters(search).map(([name, value]) => where(name, '=', value)),
      ...(sip_status === undefined ? [] : [where('sip_status', '=', sip_status)]),
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
