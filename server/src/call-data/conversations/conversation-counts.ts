import type { Contribution } from '@patchbay/contract/conversations/summarize'
import { toDayNumber } from '@patchbay/contract/shared/call-quality'
import { type Database, inTransaction, lockForUpdate, upsertIncrement } from '../../database/engine.ts'
import { gzipJson, unpackedText } from '../../database/gzip-json.ts'
import { type ClaimedCall, removeClaimed } from './conversation-queue.ts'

/**
 * Stores what each conversation contributes to the statistics, and their sums per day. A conversation that is computed
 * again replaces its contributions.
 */

/** A computed conversation. */
export interface ComputedConversation {
  account_sid: string
  service_provider_sid: string | null
  call_sid: string
  trace_id: string | null
  /** Milliseconds since the Unix epoch. */
  started_at: number
  /** Empty if no agent has spoken. */
  contributions: readonly Contribution[]
}

type CompactContribution = [string, string, string, number, number]

/** Contributions of a call with 2,000 turns in many voices have 1 MB. */
const maxContributionBytes = 16 * 1024 * 1024

const unpack = async (content: Uint8Array): Promise<CompactContribution[]> =>
  JSON.parse((await unpackedText(content, maxContributionBytes)).toString()) as CompactContribution[]

const toCompact = ({ dimension, value, measure, bucket, amount }: Contribution): CompactContribution => [
  dimension,
  value,
  measure,
  bucket,
  amount,
]

/** A type, because interfaces have no index signature. */
type CountRow = {
  owner_sid: string
  day: number
  dimension: string
  value: string
  measure: string
  bucket: number
  amount: number
}

interface Counted {
  owners: readonly string[]
  day: number
  contributions: readonly CompactContribution[]
}

/** Returns the changes of the sums: the new contributions minus the old ones. */
const getChanges = (before: Counted | undefined, after: Counted): CountRow[] => {
  const changes = new Map<string, CountRow>()
  const add = ({ owners, day, contributions }: Counted, sign: 1 | -1): void => {
    for (const owner_sid of owners)
      for (const [dimension, value, measure, bucket, amount] of contributions) {
        const key = JSON.stringify([owner_sid, day, dimension, value, measure, bucket])
        const change = changes.get(key)
        if (change === undefined)
          changes.set(key, { owner_sid, day, dimension, value, measure, bucket, amount: sign * amount })
        else change.amount += sign * amount
      }
  }
  if (before !== undefined) add(before, -1)
  add(after, 1)
  // In the order of the key, so that concurrent transactions lock rows in the same order.
  return [...changes]
    .filter(([, { amount }]) => amount !== 0)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, change]) => change)
}

const getOwners = (account_sid: string, service_provider_sid: string | null): string[] =>
  service_provider_sid === null ? [account_sid] : [account_sid, service_provider_sid]

/** Stores a conversation and changes the sums, in one transaction. Removes the call from the queue. */
export const storeConversation = async (
  database: Database,
  conversation: ComputedConversation,
  claimed: ClaimedCall,
  computed_at: number,
): Promise<void> => {
  const { account_sid, call_sid, service_provider_sid, trace_id, started_at, contributions } = conversation
  const compact = contributions.map(toCompact)
  const { content } = await gzipJson(compact)
  const key = { account_sid, call_sid }
  await inTransaction(database, async (trx) => {
    const existing = trx
      .selectFrom('patchbay_conversations')
      .select(['service_provider_sid', 'started_at', 'content'])
      .where('account_sid', '=', account_sid)
      .where('call_sid', '=', call_sid)
    const [row] = await lockForUpdate(database.engine, existing).execute()
    const before = row && {
      owners: getOwners(account_sid, row.service_provider_sid),
      day: toDayNumber(row.started_at),
      contributions: await unpack(row.content),
    }
    const owners = getOwners(account_sid, service_provider_sid)
    const changes = getChanges(before, { owners, day: toDayNumber(started_at), contributions: compact })
    await upsertIncrement(trx, database.engine, 'patchbay_conversation_counts', changes, ['amount'])
    const values = { service_provider_sid, trace_id, started_at, computed_at, content }
    if (row === undefined)
      await trx
        .insertInto('patchbay_conversations')
        .values({ ...key, ...values })
        .execute()
    else
      await trx
        .updateTable('patchbay_conversations')
        .set(values)
        .where('account_sid', '=', account_sid)
        .where('call_sid', '=', call_sid)
        .execute()
    await removeClaimed(trx, claimed)
  })
}
