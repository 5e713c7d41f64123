import type { Contribution } from '@patchbay/rules/conversations/summarize'
import { type Sums, sumUp } from '@patchbay/rules/conversations/sums'
import type { Transaction } from 'kysely'
import { type Database, type EngineName, inTransaction, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { addToDays, DayChanges, packContributions, unpackContributions } from './conversation-day-sums.ts'
import { type ClaimedCall, type QueuedCall, releaseClaimed, removeClaimed } from './conversation-queue.ts'

/** A computed conversation. */
export interface ComputedConversation {
  account_sid: string
  service_provider_sid: string | null
  call_sid: string
  trace_id: string | null
  sip_callid: string | null
  /** Milliseconds since the Unix epoch. */
  started_at: number
  /** Milliseconds since the Unix epoch. */
  ended_at: number
  /** Empty if no agent has spoken. */
  contributions: readonly Contribution[]
}

/** A computed conversation, and its call in the queue. */
export interface ClaimedConversation {
  conversation: ComputedConversation
  claimed: ClaimedCall
  /** Time at which the conversation is computed again. It stays in the queue until then. */
  repeatAt: number | undefined
}

export interface StoreOptions {
  /** Milliseconds since the Unix epoch. */
  computed_at: number
  /** Runs in the transaction, with the sums of each conversation. */
  onStored: (trx: Transaction<Tables>, conversation: ComputedConversation, sums: Sums) => Promise<void>
}

const formatKey = ({ account_sid, call_sid }: QueuedCall): string => `${account_sid} ${call_sid}`

/** Returns the stored rows of calls by their keys, and locks them. */
const lockStored = async (trx: Transaction<Tables>, engine: EngineName, calls: readonly QueuedCall[]) => {
  const existing = trx
    .selectFrom('patchbay_conversations')
    .select(['account_sid', 'call_sid', 'service_provider_sid', 'started_at', 'content'])
    .where(({ or, and }) => or(calls.map(({ account_sid, call_sid }) => and({ account_sid, call_sid }))))
  const rows = await lockForUpdate(engine, existing).execute()
  return new Map(rows.map((row) => [formatKey(row), row]))
}

/**
 * Stores what conversations contribute to the statistics, and changes the sums, in one transaction: most conversations change
 * the same sums, and a commit costs more than computing a conversation. A conversation that is computed again replaces its
 * contributions. Removes them from the queue.
 */
export const storeConversations = async (
  database: Database,
  claimedConversations: readonly ClaimedConversation[],
  { computed_at, onStored }: StoreOptions,
): Promise<void> => {
  const packed = await Promise.all(
    claimedConversations.map(async (one) => ({
      ...one,
      content: await packContributions(one.conversation.contributions),
    })),
  )
  // Concurrent transactions lock rows in the same order.
  const all = packed.toSorted((a, b) => (formatKey(a.conversation) < formatKey(b.conversation) ? -1 : 1))
  await inTransaction(database, async (trx) => {
    const stored = await lockStored(
      trx,
      database.engine,
      all.map(({ conversation }) => conversation),
    )
    const changes = new DayChanges()
    for (const { conversation } of all) {
      const before = stored.get(formatKey(conversation))
      if (before !== undefined) changes.add({ ...before, contributions: await unpackContributions(before.content) }, -1)
      changes.add(conversation)
    }
    await addToDays(trx, database.engine, changes)
    for (const { conversation, content, claimed, repeatAt } of all) {
      const { account_sid, call_sid, contributions, ...columns } = conversation
      const values = { ...columns, computed_at, content }
      if (stored.has(formatKey(conversation)))
        await trx
          .updateTable('patchbay_conversations')
          .set(values)
          .where('account_sid', '=', account_sid)
          .where('call_sid', '=', call_sid)
          .execute()
      else
        await trx
          .insertInto('patchbay_conversations')
          .values({ account_sid, call_sid, ...values })
          .execute()
      await onStored(trx, conversation, sumUp(contributions.filter(({ dimension }) => dimension === 'all')))
      if (repeatAt === undefined) await removeClaimed(trx, claimed)
      else await releaseClaimed(trx, claimed, repeatAt)
    }
  })
}
