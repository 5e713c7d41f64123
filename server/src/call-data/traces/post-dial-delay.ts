import type { ResourceSpans } from '@patchbay/contract/call-traces'
import { parseAttributes } from '@patchbay/rules/traces/traces'
import { sql, type Transaction } from 'kysely'
import type { EngineName } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { CallDelay } from './traces.ts'

/**
 * Computes the post-dial delay of calls from the spans of their traces
 * (docs/reference/platform-api/traces-and-captures.md#spans).
 */

type Span = ResourceSpans['instrumentationLibrarySpans'][number]['spans'][number]

const dialSpanNames = new Set(['incoming-call', 'outbound-call', 'rest-call', 'call-status:trying'])
const ringSpanNames = new Set(['call-status:ringing', 'call-status:early-media', 'call-status:in-progress'])

const getCallSid = (span: Span): string | undefined => {
  const sid = parseAttributes(span.attributes).find(({ key }) => key === 'callSid')?.value
  return typeof sid === 'string' && sid !== '' && sid.length <= 64 ? sid : undefined
}

const min = (current: number | null, at: number): number => (current === null ? at : Math.min(current, at))

/** Maximum number of calls per trace delivery. A trace normally contains one call and the calls it dials. */
const maxCalls = 100

/** Returns the delays found in these spans, one entry per call. */
export const extractDelays = (resourceSpans: readonly ResourceSpans[]): CallDelay[] => {
  const delays = new Map<string, CallDelay>()
  const relevantSpans = resourceSpans
    .flatMap(({ instrumentationLibrarySpans }) => instrumentationLibrarySpans)
    .flatMap(({ spans }) => spans)
    .filter(({ name }) => dialSpanNames.has(name) || ringSpanNames.has(name))
  for (const span of relevantSpans) {
    const call_sid = getCallSid(span)
    if (call_sid === undefined) continue
    if (!delays.has(call_sid) && delays.size >= maxCalls) continue
    const delay = delays.get(call_sid) ?? { call_sid, dialled_at: null, rung_at: null }
    const at = Number(BigInt(span.startTimeUnixNano) / 1_000_000n)
    if (!Number.isSafeInteger(at)) continue
    if (dialSpanNames.has(span.name)) delay.dialled_at = min(delay.dialled_at, at)
    else delay.rung_at = min(delay.rung_at, at)
    delays.set(call_sid, delay)
  }
  return [...delays.values()]
}

/**
 * Merges the delays of each call, because a delivery can contain several parts of a call and an upsert statement can
 * contain a row only once.
 */
const mergeDelays = (delays: readonly CallDelay[]): CallDelay[] => {
  const byCallSid = new Map<string, CallDelay>()
  for (const { call_sid, dialled_at, rung_at } of delays) {
    const entry = byCallSid.get(call_sid) ?? { call_sid, dialled_at: null, rung_at: null }
    if (dialled_at !== null) entry.dialled_at = min(entry.dialled_at, dialled_at)
    if (rung_at !== null) entry.rung_at = min(entry.rung_at, rung_at)
    byCallSid.set(call_sid, entry)
  }
  return [...byCallSid.values()]
}

/** Stores the earliest times of each call over all deliveries. */
export const upsertDelays = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  delays: readonly CallDelay[],
  received_at: number,
): Promise<void> => {
  if (delays.length === 0) return
  const newValue = (column: string) =>
    engine === 'mysql' ? sql<number>`VALUES(${sql.ref(column)})` : sql<number>`${sql.ref(`excluded.${column}`)}`
  const minFunction = sql.raw(engine === 'mysql' ? 'LEAST' : 'MIN')
  const earliest = (column: string) => {
    const own = sql.ref(`patchbay_call_delays.${column}`)
    return sql<number>`${minFunction}(COALESCE(${own}, ${newValue(column)}), COALESCE(${newValue(column)}, ${own}))`
  }
  const update = { dialled_at: earliest('dialled_at'), rung_at: earliest('rung_at') }
  const rows = mergeDelays(delays)
    .toSorted((a, b) => (a.call_sid < b.call_sid ? -1 : 1))
    .map((delay) => ({ ...delay, received_at }))
  const insert = trx.insertInto('patchbay_call_delays').values(rows)
  await (engine === 'mysql'
    ? insert.onDuplicateKeyUpdate(update)
    : insert.onConflict((conflict) => conflict.column('call_sid').doUpdateSet(update))
  ).execute()
}
