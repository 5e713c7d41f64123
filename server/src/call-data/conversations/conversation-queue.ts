import { type Kysely, sql, type Transaction } from 'kysely'
import { type Database, insertIgnoringDuplicates, inTransaction } from '../../database/engine.ts'
import { createQueueLeases } from '../../database/leases.ts'
import type { Tables } from '../../database/tables.ts'

/** Calls whose conversation is to be computed, because they have ended or because later data has arrived. */

export interface QueuedCall {
  account_sid: string
  call_sid: string
}

export interface ClaimedCall extends QueuedCall {
  /** Identifies the claim, because it is the time at which it ends. */
  due_at: number
  /** Number of times that the call has been claimed, including this one. */
  attempts: number
}

/** Spans, recordings, and events of a call arrive within this time after its record. */
export const settlingMs = 10_000

/** The furthest time ahead at which a call is computed again. */
export const maxRetryMs = 10 * 60_000

/** Another process computes the conversation if the one that has claimed it ends. */
const leases = createQueueLeases({
  table: 'patchbay_conversation_queue',
  key: ['account_sid', 'call_sid'],
  dueAt: 'due_at',
  durationMs: 5 * 60_000,
  longestMs: maxRetryMs,
})

const postpone = (trx: Transaction<Tables>, { account_sid, call_sid }: QueuedCall, due_at: number) =>
  trx
    .updateTable('patchbay_conversation_queue')
    .set({ due_at, attempts: 0 })
    .where('account_sid', '=', account_sid)
    .where('call_sid', '=', call_sid)
    .execute()

/**
 * Adds calls to the queue. A call that is already in the queue gets the new time, so that its conversation is computed
 * again even if another process is computing it.
 */
export const enqueueConversations = async (
  database: Database,
  calls: readonly QueuedCall[],
  due_at: number,
): Promise<void> => {
  if (calls.length === 0) return
  await inTransaction(database, async (trx) => {
    const rows = calls.map(({ account_sid, call_sid }) => ({ account_sid, call_sid, due_at, attempts: 0 }))
    const inserted = new Set(await insertIgnoringDuplicates(trx, database.engine, 'patchbay_conversation_queue', rows))
    for (const row of rows) if (!inserted.has(row)) await postpone(trx, row, due_at)
  })
}

/**
 * Adds the calls of later spans: those whose conversation has already been computed, and those that are in the queue, because
 * another process may be computing their conversation.
 * @param call_ids call_sids and SIP Call-IDs that the spans name
 */
export const enqueueTraces = async (
  database: Database,
  { trace_ids, call_ids }: { trace_ids: readonly string[]; call_ids: readonly string[] },
  due_at: number,
): Promise<void> => {
  const select = (
    table: 'patchbay_conversations' | 'patchbay_conversation_queue',
    column: 'trace_id' | 'call_sid' | 'sip_callid',
    values: readonly string[],
  ) =>
    values.length === 0
      ? []
      : database.db
          .selectFrom(table)
          .select(['account_sid', 'call_sid'])
          .where(sql.ref(`${table}.${column}`), 'in', values)
          .execute()
  const calls = [
    ...(await select('patchbay_conversations', 'trace_id', trace_ids)),
    ...(await select('patchbay_conversations', 'call_sid', call_ids)),
    ...(await select('patchbay_conversations', 'sip_callid', call_ids)),
    ...(await select('patchbay_conversation_queue', 'call_sid', call_ids)),
  ]
  await enqueueConversations(database, calls, due_at)
}

/** Claims calls that are due, in their order. Other processes do not claim them for five minutes. */
export const claimConversations = (database: Database, now: number, limit: number): Promise<ClaimedCall[]> =>
  leases.claimDue(database, now, limit, ({ attempts }) => ({ attempts: attempts + 1 }))

/** Removes a call from the queue, unless it was added again while its conversation was computed. */
export const removeClaimed = leases.remove

/** Makes a claimed call due at a time, unless it was added again. */
export const releaseClaimed = (db: Kysely<Tables>, claimed: ClaimedCall, due_at: number): Promise<boolean> =>
  leases.change(db, claimed, { due_at })
