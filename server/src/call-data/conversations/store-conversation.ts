import type { Contribution } from '@patchbay/rules/conversations/summarize'
import { type Sums, sumUp } from '@patchbay/rules/conversations/sums'
import type { Transaction } from 'kysely'
import { type Database, inTransaction, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { addToDays, DayChanges, packContributions, unpackContributions } from './conversation-day-sums.ts'
import { type ClaimedCall, releaseClaimed, removeClaimed } from './conversation-queue.ts'

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

export interface StoreOptions {
  /** Milliseconds since the Unix epoch. */
  computed_at: number
  /** Time at which the conversation is computed again. It stays in the queue until then. */
  repeatAt: number | undefined
  /** Runs in the transaction, with the sums of the conversation. */
  onStored: (trx: Transaction<Tables>, sums: Sums) => Promise<void>
}

/**
 * Stores what a conversation contributes to the statistics, and changes the sums, in one transaction. A conversation that is
 * computed again replaces its contributions. Removes it from the queue.
 */
export const storeConversation = async (
  database: Database,
  conversation: ComputedConversation,
  claimed: ClaimedCall,
  { computed_at, repeatAt, onStored }: StoreOptions,
): Promise<void> => {
  const { account_sid, call_sid, contributions, ...columns } = conversation
  const content = await packContributions(contributions)
  await inTransaction(database, async (trx) => {
    const existing = trx
      .selectFrom('patchbay_conversations')
      .select(['service_provider_sid', 'started_at', 'content'])
      .where('account_sid', '=', account_sid)
      .where('call_sid', '=', call_sid)
    const [before] = await lockForUpdate(database.engine, existing).execute()
    const changes = new DayChanges()
    if (before !== undefined)
      changes.add({ ...before, account_sid, contributions: await unpackContributions(before.content) }, -1)
    changes.add(conversation)
    await addToDays(trx, database.engine, changes)
    const values = { ...columns, computed_at, content }
    if (before === undefined)
      await trx
        .insertInto('patchbay_conversations')
        .values({ account_sid, call_sid, ...values })
        .execute()
    else
      await trx
        .updateTable('patchbay_conversations')
        .set(values)
        .where('account_sid', '=', account_sid)
        .where('call_sid', '=', call_sid)
        .execute()
    const sums = sumUp(contributions.filter(({ dimension }) => dimension === 'all'))
    await onStored(trx, sums)
    if (repeatAt === undefined) await removeClaimed(trx, claimed)
    else await releaseClaimed(trx, claimed, repeatAt)
  })
}
