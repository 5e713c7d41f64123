import { isDeepStrictEqual } from 'node:util'
import type { Selectable } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { toNanoseconds } from '../calls/nanosecond-timestamps.ts'
import type { CallRow, NewCallRow } from './call-rows.ts'
import { createCallTable, readStored } from './call-table.ts'
import type { CopySource } from './copy-table.ts'

/** Describes the copy of call records to ClickHouse, in the order of the primary key. */

type SqlRow = Selectable<Tables['patchbay_calls']>

const positionSchema = z.object({
  account_sid: z.string(),
  attempted_at: z.number(),
  attempted_ns: z.number(),
  call_key: z.string(),
})

type Position = z.infer<typeof positionSchema>

const batchSize = 5000

const toText = (value: number | null): string | null => (value === null ? null : String(value))

const toCallRow = ({ attempted_at, attempted_ns, answered, extra, call_sid, ...row }: SqlRow): NewCallRow => ({
  ...row,
  attempted_at: String(toNanoseconds(attempted_at, attempted_ns)),
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
const readBatch = ({ reader }: Database, account_sid: string, after: Position | undefined): Promise<SqlRow[]> =>
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

const isCopy = ({ post_dial_delay: _delay, ...original }: NewCallRow, copy: CallRow | undefined): boolean =>
  copy !== undefined && isDeepStrictEqual({ ...copy }, original)

export const createCallCopy = (database: Database): CopySource<NewCallRow> => ({
  table: createCallTable(database),

  async read(after) {
    let position = after && positionSchema.parse(after)
    let account = position?.account_sid ?? (await findNextAccount(database, ''))
    while (account !== undefined) {
      const rows = await readBatch(database, account, position)
      const last = rows.at(-1)
      if (last !== undefined) return { rows: rows.map(toCallRow), position: positionSchema.parse(last) }
      account = await findNextAccount(database, account)
      position = undefined
    }
    return undefined
  },

  async findDifferent(clickHouse, rows) {
    const copies = await readStored(clickHouse, rows)
    return rows.filter((row, index) => !isCopy(row, copies[index])).map(({ call_key }) => call_key)
  },
})
