import { createHash } from 'node:crypto'
import type { Selectable } from 'kysely'
import { isDeepStrictEqual } from 'node:util'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { CallRow, NewCallRow } from './call-rows.ts'
import type { ClickHouse } from './clickhouse.ts'
import { readStored, toKey, withoutStored } from './call-table.ts'

/** Copies call records from the database to ClickHouse, and compares each copy with its original. */

type SqlRow = Selectable<Tables['patchbay_calls']>

/** The last record that was copied, in the order of the primary key. */
export type CopyPosition = Pick<SqlRow, 'account_sid' | 'attempted_at' | 'attempted_ns' | 'call_key'>

export interface CopyProgress {
  /** Records that were read from the database. */
  read: number
  /** Records that ClickHouse did not have. */
  inserted: number
  /** Keys of records whose copy differs from the original or is missing: the first ones, and the number of all. */
  different: { first: string[]; count: number }
}

const batchSize = 5000
const maxReported = 10

const toText = (value: number | null): string | null => (value === null ? null : String(value))

const toCallRow = ({ attempted_at, attempted_ns, answered, extra, call_sid, ...row }: SqlRow): NewCallRow => ({
  ...row,
  attempted_at: String(BigInt(attempted_at) * 1_000_000n + BigInt(attempted_ns)),
  has_call_sid: Boolean(call_sid),
  service_provider_sid: row.service_provider_sid ?? '',
  answered: answered === 1,
  answered_at: toText(row.answered_at),
  terminated_at: toText(row.terminated_at),
  // The database has the delays of a day only.
  post_dial_delay: null,
  extra: extra ?? '',
})

/** Returns the first account after another one, or undefined. */
const findNextAccount = async ({ reader }: Database, after: string): Promise<string | undefined> => {
  const row = await reader
    .selectFrom('patchbay_calls')
    .select('account_sid')
    .where('account_sid', '>', after)
    .orderBy('account_sid')
    .limit(1)
    .executeTakeFirst()
  return row?.account_sid
}

/** Reads the next records of an account. */
const readBatch = ({ reader }: Database, account_sid: string, after: CopyPosition | undefined): Promise<SqlRow[]> =>
  reader
    .selectFrom('patchbay_calls')
    .selectAll()
    .where('account_sid', '=', account_sid)
    .$if(after !== undefined, (query) =>
      query
        .where('attempted_at', '>=', after?.attempted_at ?? 0)
        .where((where) =>
          where.or([
            where('attempted_at', '>', after?.attempted_at ?? 0),
            where('attempted_ns', '>', after?.attempted_ns ?? 0),
            where.and([
              where('attempted_ns', '=', after?.attempted_ns ?? 0),
              where('call_key', '>', after?.call_key ?? ''),
            ]),
          ]),
        ),
    )
    .orderBy('attempted_at')
    .orderBy('attempted_ns')
    .orderBy('call_key')
    .limit(batchSize)
    .execute()

/** Repeated runs insert a batch with the same token. */
const toToken = (rows: readonly NewCallRow[]): string =>
  createHash('sha256').update(rows.map(toKey).join('\n')).digest('hex')

const isCopy = ({ post_dial_delay: _delay, ...original }: NewCallRow, copy: CallRow | undefined): boolean =>
  copy !== undefined && isDeepStrictEqual({ ...copy }, original)

/**
 * Copies all call records. Records that ClickHouse has already are compared only.
 * @param start the position at which an interrupted copy ended
 * @param onBatch is called after each batch, with the position that a later copy can start at
 * @throws ApiError or an error of ClickHouse. A copy that starts at the last position continues
 */
export const copyCalls = async (
  database: Database,
  clickHouse: ClickHouse,
  start: CopyPosition | undefined,
  onBatch: (progress: CopyProgress, position: CopyPosition) => void,
): Promise<CopyProgress> => {
  const progress: CopyProgress = { read: 0, inserted: 0, different: { first: [], count: 0 } }
  const copyBatch = async (rows: readonly NewCallRow[]): Promise<void> => {
    const missing = await withoutStored(clickHouse, rows)
    if (missing.length > 0) await clickHouse.insert('calls', missing, toToken(missing))
    const copies = await readStored(clickHouse, rows)
    const different = rows.filter((row, position) => !isCopy(row, copies[position]))
    progress.read += rows.length
    progress.inserted += missing.length
    progress.different.count += different.length
    const { first } = progress.different
    first.push(...different.slice(0, maxReported - first.length).map(({ call_key }) => call_key))
  }
  let account = start?.account_sid ?? (await findNextAccount(database, ''))
  let position = start
  while (account !== undefined) {
    const batch = await readBatch(database, account, position)
    const last = batch.at(-1)
    if (last !== undefined) {
      await copyBatch(batch.map(toCallRow))
      const { account_sid, attempted_at, attempted_ns, call_key } = last
      position = { account_sid, attempted_at, attempted_ns, call_key }
      onBatch(progress, position)
    }
    if (batch.length < batchSize) {
      account = await findNextAccount(database, account)
      position = undefined
    }
  }
  return progress
}
