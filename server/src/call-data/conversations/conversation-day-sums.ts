import { toDayNumber } from '@patchbay/rules/calls/call-quality'
import type { Contribution } from '@patchbay/rules/conversations/summarize'
import { addToSums, formatSums, getAmount, mergeSums, parseSums, type Sums } from '@patchbay/rules/conversations/sums'
import { sql, type Transaction } from 'kysely'
import { type EngineName, lockForUpdate, upsertIncrement } from '../../database/engine.ts'
import { gzipJson, unpackedText } from '../../database/gzip-json.ts'
import type { Tables } from '../../database/tables.ts'

/** Sums of conversations per day (`patchbay_conversation_days`). Only this module changes them. */

type CompactContribution = [string, string, string, number, number]

/** Contributions of a call with 2,000 turns in many voices have 1 MB. */
const maxContributionBytes = 16 * 1024 * 1024

/** Returns contributions as a row of `patchbay_conversations` contains them. */
export const packContributions = async (contributions: readonly Contribution[]): Promise<Uint8Array> => {
  const compact = contributions.map(
    ({ dimension, value, measure, bucket, amount }): CompactContribution => [dimension, value, measure, bucket, amount],
  )
  return (await gzipJson(compact)).content
}

/** A stored contribution. A newer version can have other properties and measures. */
export type StoredContribution = Pick<Contribution, 'value' | 'bucket' | 'amount'> & {
  dimension: string
  measure: string
}

/** Returns the contributions in a row of `patchbay_conversations`. */
export const unpackContributions = async (content: Uint8Array): Promise<StoredContribution[]> => {
  const text = (await unpackedText(content, maxContributionBytes)).toString()
  return (JSON.parse(text) as CompactContribution[]).map(([dimension, value, measure, bucket, amount]) => ({
    dimension,
    value,
    measure,
    bucket,
    amount,
  }))
}

interface Counted {
  account_sid: string
  service_provider_sid: string | null
  started_at: number
  contributions: readonly StoredContribution[]
}

interface DayKey {
  owner_sid: string
  dimension: string
  day: number
  value: string
}

interface DaySums extends DayKey {
  sums: Sums
}

const formatKey = ({ owner_sid, dimension, day, value }: DayKey): string =>
  JSON.stringify([owner_sid, dimension, day, value])

/** Changes of the sums, for one transaction. */
export class DayChanges {
  readonly #changes = new Map<string, DaySums>()

  /** `sign` is -1 to remove the contributions of a conversation. */
  add({ account_sid, service_provider_sid, started_at, contributions }: Counted, sign: 1 | -1 = 1): void {
    const day = toDayNumber(started_at)
    const owners = service_provider_sid === null ? [account_sid] : [account_sid, service_provider_sid]
    for (const owner_sid of owners)
      for (const { dimension, value, ...addend } of contributions) {
        const key = { owner_sid, dimension, day, value }
        const text = formatKey(key)
        const change = this.#changes.get(text) ?? { ...key, sums: new Map() }
        this.#changes.set(text, change)
        addToSums(change.sums, addend, sign)
      }
  }

  /** Returns the changes in the order of the key, so that concurrent transactions lock rows in the same order. */
  list(): DaySums[] {
    return [...this.#changes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, change]) => change)
  }
}

const toRow = ({ sums, ...key }: DaySums, text: string) => ({
  ...key,
  conversations: getAmount(sums, 'conversations'),
  sums: text,
})

const noSums = formatSums(new Map())

const inRow = ({ owner_sid, dimension, day, value }: DayKey) =>
  sql<boolean>`owner_sid = ${owner_sid} AND dimension = ${dimension} AND day = ${day} AND ${sql.ref('value')} = ${value}`

/** Adds to the sums of days, and deletes rows of which nothing remains. */
export const addToDays = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  dayChanges: DayChanges,
): Promise<void> => {
  const changes = dayChanges.list()
  // Creates missing rows, and locks the others.
  const rows = changes.map((change) => toRow(change, noSums))
  await upsertIncrement(trx, engine, 'patchbay_conversation_days', rows, ['conversations'])
  for (const { sums, ...key } of changes) {
    const existing = trx.selectFrom('patchbay_conversation_days').select('sums').where(inRow(key))
    // Without a lock, MySQL would return the sums as they were at the start of the transaction.
    const row = await lockForUpdate(engine, existing).executeTakeFirstOrThrow()
    const total = parseSums(row.sums)
    mergeSums(total, sums)
    const text = formatSums(total)
    await (text === noSums
      ? // The row can contain the name of a trunk, a tool, or a model of deleted calls.
        trx.deleteFrom('patchbay_conversation_days').where(inRow(key)).execute()
      : trx.updateTable('patchbay_conversation_days').set({ sums: text }).where(inRow(key)).execute())
  }
}
