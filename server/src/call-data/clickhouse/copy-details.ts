import { createHash } from 'node:crypto'
import type { ResourceSpans } from '@patchbay/contract/call-traces'
import { sql } from 'kysely'
import { z } from 'zod'
import type { Database } from '../../database/engine.ts'
import { unpackedText } from '../../database/gzip-json.ts'
import { toMessage } from '../captures/sql-captures.ts'
import { countSpans, findAccount } from '../traces/trace-parts.ts'
import { type ClickHouse, quoteAll } from './clickhouse.ts'
import { type MessageRow, messageTable, toMessageRow } from './clickhouse-captures.ts'
import { type LogRow, logPartTable, logTable, toLogRow } from './clickhouse-logs.ts'
import { type TraceRow, tracePartTable, traceTable } from './clickhouse-traces.ts'
import type { CopyPosition, CopySource } from './copy-table.ts'
import { findDifferentParts } from './part-table.ts'

/**
 * Describes the copies of traces, log lines, and SIP messages to ClickHouse, in the order of receipt. Other orders would
 * write to many partitions at a time.
 */

/** Rows of a read. The content of a row can have 64 KiB, and half a MiB of JSON. */
const batchSize = 100

/** Longest content that is read. Only a part with a single long span has more than 512 KiB. */
const maxUnpackedBytes = 64 * 1024 * 1024

const unpack = async (content: Uint8Array): Promise<{ content: string; bytes: number }> => {
  const text = await unpackedText(content, maxUnpackedBytes)
  return { content: text.toString('utf8'), bytes: text.length }
}

const partPositionSchema = z.object({ received_at: z.number(), id: z.string(), part_key: z.string() })

interface SqlPart extends z.infer<typeof partPositionSchema> {
  content: Uint8Array
}

/** Reads the next parts of a table in the order of receipt. */
const readParts = async (
  { reader }: Database,
  table: 'patchbay_trace_parts' | 'patchbay_log_parts',
  idColumn: 'trace_id' | 'call_id',
  after: CopyPosition | undefined,
): Promise<SqlPart[]> => {
  const last = after === undefined ? { received_at: -1, id: '', part_key: '' } : partPositionSchema.parse(after)
  const id = sql.ref(idColumn)
  const { rows } = await sql<SqlPart>`
    SELECT received_at, ${id} AS id, part_key, content FROM ${sql.table(table)}
    WHERE received_at >= ${last.received_at} AND (
      received_at > ${last.received_at} OR ${id} > ${last.id} OR (${id} = ${last.id} AND part_key > ${last.part_key})
    )
    ORDER BY received_at, ${id}, part_key LIMIT ${sql.lit(batchSize)}`.execute(reader)
  return rows
}

const createPartCopy = <Row extends TraceRow | LogRow>(
  readNext: (after: CopyPosition | undefined) => Promise<SqlPart[]>,
  toRow: (part: SqlPart) => Promise<Row>,
  target: Pick<CopySource<Row>, 'table' | 'findDifferent'>,
): CopySource<Row> => ({
  ...target,
  async read(after) {
    const parts = await readNext(after)
    const last = parts.at(-1)
    if (last === undefined) return undefined
    return { rows: await Promise.all(parts.map(toRow)), position: partPositionSchema.parse(last) }
  },
})

export const createTraceCopy = (database: Database): CopySource<TraceRow> =>
  createPartCopy<TraceRow>(
    (after) => readParts(database, 'patchbay_trace_parts', 'trace_id', after),
    async ({ id, part_key, received_at, content }) => {
      const text = await unpack(content)
      const resourceSpans = JSON.parse(text.content) as ResourceSpans[]
      const account_sid = findAccount(resourceSpans) ?? ''
      return { trace_id: id, part_key, received_at, account_sid, items: countSpans(resourceSpans), ...text }
    },
    {
      table: traceTable,
      findDifferent: (clickHouse, rows) => findDifferentParts<'trace_id'>(clickHouse, tracePartTable, rows),
    },
  )

export const createLogCopy = (database: Database): CopySource<LogRow> =>
  createPartCopy<LogRow>(
    (after) => readParts(database, 'patchbay_log_parts', 'call_id', after),
    async ({ id, received_at, content }) =>
      toLogRow(id, JSON.parse((await unpack(content)).content) as string[], received_at),
    {
      table: logTable,
      findDifferent: (clickHouse, rows) => findDifferentParts<'call_id'>(clickHouse, logPartTable, rows),
    },
  )

const messagePositionSchema = z.object({
  received_at: z.number(),
  sip_callid: z.string(),
  captured_at: z.number(),
  message_key: z.string(),
})

type MessagePosition = z.infer<typeof messagePositionSchema>

const selectMessages = ({ reader }: Database, last: MessagePosition | undefined) =>
  reader
    .selectFrom('patchbay_sip_messages')
    .selectAll()
    .$if(last !== undefined, (query) =>
      query
        .where('received_at', '>=', last?.received_at ?? 0)
        .where((where) =>
          where.or([
            where('received_at', '>', last?.received_at ?? 0),
            where('sip_callid', '>', last?.sip_callid ?? ''),
            where.and([
              where('sip_callid', '=', last?.sip_callid ?? ''),
              where.or([
                where('captured_at', '>', last?.captured_at ?? 0),
                where.and([
                  where('captured_at', '=', last?.captured_at ?? 0),
                  where('message_key', '>', last?.message_key ?? ''),
                ]),
              ]),
            ]),
          ]),
        ),
    )
    .orderBy('received_at')
    .orderBy('sip_callid')
    .orderBy('captured_at')
    .orderBy('message_key')
    .limit(batchSize)
    .execute()

const hashContent = (content: string): string => createHash('sha256').update(content).digest('hex')

/** Returns a text with all columns of a message, which ClickHouse computes in the same way. */
const toFingerprint = (row: MessageRow): string =>
  [
    row.sip_callid,
    row.captured_at,
    row.message_key,
    row.received_at,
    row.method,
    row.transport,
    row.source,
    row.source_port,
    row.destination,
    row.destination_port,
    hashContent(row.content),
    row.agent ?? '',
    row.arrival,
  ].join(' ')

const findDifferentMessages = async (clickHouse: ClickHouse, rows: readonly MessageRow[]): Promise<string[]> => {
  const stored = await clickHouse.query<{ fingerprint: string }>(
    `SELECT concatWithSeparator(' ', sip_callid, captured_at, message_key, received_at, method, transport, source,
       source_port, destination, destination_port, lower(hex(SHA256(content))), ifNull(toString(agent), ''), arrival) AS fingerprint
     FROM sip_messages
     WHERE sip_callid IN (${quoteAll(new Set(rows.map(({ sip_callid }) => sip_callid)))})
       AND captured_at IN (${[...new Set(rows.map(({ captured_at }) => captured_at))].join()})
       AND received_at IN (${[...new Set(rows.map(({ received_at }) => received_at))].join()})`,
    {},
  )
  const fingerprints = new Set(stored.map(({ fingerprint }) => fingerprint))
  return rows
    .filter((row) => !fingerprints.has(toFingerprint(row)))
    .map(({ sip_callid, captured_at }) => `${sip_callid} ${captured_at}`)
}

export const createMessageCopy = (database: Database): CopySource<MessageRow> => ({
  table: messageTable,
  async read(after) {
    const rows = await selectMessages(database, after && messagePositionSchema.parse(after))
    const last = rows.at(-1)
    if (last === undefined) return undefined
    return {
      rows: rows.map((row) => ({
        ...toMessageRow(toMessage(row), row.received_at, row.arrival ?? 0),
        message_key: row.message_key,
      })),
      position: messagePositionSchema.parse(last),
    }
  },
  findDifferent: findDifferentMessages,
})
