import type { Call } from '@patchbay/contract/recent-calls'
import type { ExpressionBuilder, Kysely } from 'kysely'
import { createHash } from 'node:crypto'
import { contains, type Database, type EngineName, insertIgnoringDuplicates } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { CallRecord } from '../intake/call-point.ts'
import type { Calls, CallSearch } from './calls.ts'
import { split, writeInstant } from './instants.ts'

/** The call's identity beside account and time; a record without any id is known by all it holds. */
const callKey = ({ call_sid, sip_callid, ...rest }: CallRecord): string => {
  if (call_sid) return call_sid
  if (sip_callid && sip_callid.length <= 255) return sip_callid
  const held = { ...rest, sip_callid, time: rest.time.toString() }
  return createHash('sha256').update(JSON.stringify(held)).digest('hex')
}

/** The columns hold what fits; no platform writer sends more, and a cut text is better than a lost call. */
const fitting = (text: string | null, max = 255): string | null => text?.slice(0, max) ?? null

const rowOf = (record: CallRecord) => {
  const { milliseconds: attempted_at, nanoseconds: attempted_ns } = split(record.time)
  const { time: _time, extra, ...call } = record
  return {
    ...call,
    attempted_at,
    attempted_ns,
    call_key: callKey(record),
    answered: call.answered ? (1 as const) : (0 as const),
    from: fitting(call.from),
    to: fitting(call.to),
    host: fitting(call.host),
    remote_host: fitting(call.remote_host),
    trunk: fitting(call.trunk),
    sip_callid: fitting(call.sip_callid),
    sip_parent_callid: fitting(call.sip_parent_callid),
    termination_reason: fitting(call.termination_reason),
    recording_url: fitting(call.recording_url, 1024),
    extra: Object.keys(extra).length === 0 ? null : JSON.stringify(extra),
  }
}

const matching = (engine: EngineName, search: CallSearch) => (where: ExpressionBuilder<Tables, 'patchbay_calls'>) => {
  const { owner, after, from, until, trunk, direction, answered, text } = search
  return where.and([
    'account_sid' in owner
      ? where('account_sid', '=', owner.account_sid)
      : where('service_provider_sid', '=', owner.service_provider_sid),
    ...(after === undefined ? [] : [where('attempted_at', '>', after)]),
    ...(from === undefined ? [] : [where('attempted_at', '>=', from)]),
    ...(until === undefined ? [] : [where('attempted_at', '<=', until)]),
    ...(trunk ? [where('trunk', '=', trunk)] : []),
    ...(direction ? [where('direction', '=', direction)] : []),
    ...(answered === undefined ? [] : [where('answered', '=', answered ? 1 : 0)]),
    ...(text
      ? [where.or([contains(engine, 'from', text), contains(engine, 'to', text), where('call_sid', '=', text)])]
      : []),
  ])
}

const pageOf = (reader: Kysely<Tables>, engine: EngineName, search: CallSearch) =>
  reader
    .selectFrom('patchbay_calls')
    .selectAll()
    .where(matching(engine, search))
    .orderBy('attempted_at', 'desc')
    .orderBy('attempted_ns', 'desc')
    .orderBy('call_key', 'desc')
    .limit(search.pageSize)
    .offset((search.page - 1) * search.pageSize)

type CallRow = Awaited<ReturnType<ReturnType<typeof pageOf>['executeTakeFirstOrThrow']>>

const instantOrNull = (milliseconds: number | null): string | null =>
  milliseconds === null ? null : new Date(milliseconds).toISOString()

const shown = ({ attempted_at, attempted_ns, call_key: _key, extra, ...row }: CallRow): Call => ({
  ...(extra === null ? {} : (JSON.parse(extra) as Record<string, unknown>)),
  ...row,
  attempted_at: writeInstant(attempted_at, attempted_ns),
  answered: row.answered === 1,
  answered_at: instantOrNull(row.answered_at),
  terminated_at: instantOrNull(row.terminated_at),
})

/** Call records in our own table, read on the reader's connection. */
export const createSqlCalls = (database: Database): Calls => ({
  async search(search) {
    const { reader, engine } = database
    const counted = await reader
      .selectFrom('patchbay_calls')
      .select((select) => select.fn.countAll<number | string>().as('total'))
      .where(matching(engine, search))
      .executeTakeFirstOrThrow()
    // MySQL counts in a bigint, which its driver may give as text.
    const total = Number(counted.total)
    if (total <= (search.page - 1) * search.pageSize) return { total, calls: [] }
    const rows = await pageOf(reader, engine, search).execute()
    return { total, calls: rows.map(shown) }
  },
  store: (records) => insertIgnoringDuplicates(database, 'patchbay_calls', records.map(rowOf)),
})
