import { parseAttributes } from '@patchbay/contract/shared/traces'
import { sql, type Transaction } from 'kysely'
import type { EngineName } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { CallDelay, ResourceSpans } from './traces.ts'

/** How long a call took to ring, of the spans of its trace (api/4-calls-and-hosted.md §2.2). */

type Span = ResourceSpans['instrumentationLibrarySpans'][number]['spans'][number]

const dialled = new Set(['incoming-call', 'outbound-call', 'rest-call', 'call-status:trying'])
const rung = new Set(['call-status:ringing', 'call-status:early-media', 'call-status:in-progress'])

const sidOf = (span: Span): string | undefined => {
  const sid = parseAttributes(span.attributes).find(({ key }) => key === 'callSid')?.value
  return typeof sid === 'string' && sid !== '' && sid.length <= 64 ? sid : undefined
}

const earlier = (known: number | null, at: number): number => (known === null ? at : Math.min(known, at))

/** Calls whose delays are kept of one delivery of a trace. A trace is of one call and of those it dials. */
const maxCalls = 100

/** Returns what these spans say of calls, one entry per call. */
export const delaysIn = (resourceSpans: readonly ResourceSpans[]): CallDelay[] => {
  const delays = new Map<string, CallDelay>()
  const told = resourceSpans
    .flatMap(({ instrumentationLibrarySpans }) => instrumentationLibrarySpans)
    .flatMap(({ spans }) => spans)
    .filter(({ name }) => dialled.has(name) || rung.has(name))
  for (const span of told) {
    const call_sid = sidOf(span)
    if (call_sid === undefined) continue
    if (!delays.has(call_sid) && delays.size >= maxCalls) continue
    const delay = delays.get(call_sid) ?? { call_sid, dialled_at: null, rung_at: null }
    const at = Number(BigInt(span.startTimeUnixNano) / 1_000_000n)
    if (!Number.isSafeInteger(at)) continue
    if (dialled.has(span.name)) delay.dialled_at = earlier(delay.dialled_at, at)
    else delay.rung_at = earlier(delay.rung_at, at)
    delays.set(call_sid, delay)
  }
  return [...delays.values()]
}

/** One delivery may tell of a call in several parts; a statement may name it once. */
const merged = (delays: readonly CallDelay[]): CallDelay[] => {
  const known = new Map<string, CallDelay>()
  for (const { call_sid, dialled_at, rung_at } of delays) {
    const one = known.get(call_sid) ?? { call_sid, dialled_at: null, rung_at: null }
    if (dialled_at !== null) one.dialled_at = earlier(one.dialled_at, dialled_at)
    if (rung_at !== null) one.rung_at = earlier(one.rung_at, rung_at)
    known.set(call_sid, one)
  }
  return [...known.values()]
}

/** Keeps the earliest of each, whichever delivery brings it. */
export const keepDelays = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  delays: readonly CallDelay[],
  received_at: number,
): Promise<void> => {
  if (delays.length === 0) return
  const given = (column: string) =>
    engine === 'mysql' ? sql<number>`VALUES(${sql.ref(column)})` : sql<number>`${sql.ref(`excluded.${column}`)}`
  const minScope = sql.raw(engine === 'mysql' ? 'LEAST' : 'MIN')
  const earliest = (column: string) => {
    const own = sql.ref(`patchbay_call_delays.${column}`)
    return sql<number>`${minScope}(COALESCE(${own}, ${given(column)}), COALESCE(${given(column)}, ${own}))`
  }
  const update = { dialled_at: earliest('dialled_at'), rung_at: earliest('rung_at') }
  const rows = merged(delays)
    .toSorted((a, b) => (a.call_sid < b.call_sid ? -1 : 1))
    .map((delay) => ({ ...delay, received_at }))
  const insert = trx.insertInto('patchbay_call_delays').values(rows)
  await (engine === 'mysql'
    ? insert.onDuplicateKeyUpdate(update)
    : insert.onConflict((conflict) => conflict.column('call_sid').doUpdateSet(update))
  ).execute()
}
