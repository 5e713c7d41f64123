import type { Selectable } from 'kysely'
import { type Database, insertIgnoringDuplicates, inTransaction } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { CaptureSink, Captures, ReceivedMessage } from './captures.ts'
import {
  createCaptureReader,
  getMessageKey,
  type MessageBatch,
  nextArrival,
  type StoredMessage,
} from './read-captures.ts'
import { addMarks } from './sip-marks.ts'

const toRow = (message: ReceivedMessage) => ({
  sip_callid: message.sip_callid,
  captured_at: message.at,
  message_key: getMessageKey(message),
  method: message.method,
  transport: message.transport,
  source: message.source.address,
  source_port: message.source.port,
  destination: message.destination.address,
  destination_port: message.destination.port,
  content: message.content,
  agent: message.agent ?? null,
})

type SqlRow = Selectable<Tables['patchbay_sip_messages']>

/** Converts a row of the table to a message. */
export const toMessage = (row: Omit<SqlRow, 'received_at'>): StoredMessage => ({
  sip_callid: row.sip_callid,
  message_key: row.message_key,
  method: row.method,
  at: row.captured_at,
  transport: row.transport,
  source: { address: row.source, port: row.source_port },
  destination: { address: row.destination, port: row.destination_port },
  content: row.content,
  agent: row.agent ?? undefined,
  arrival: row.arrival ?? 0,
})

const selectBatch = async (
  { reader }: Database,
  { sip_callid, from, after, limit }: MessageBatch,
): Promise<StoredMessage[]> => {
  const [beyond, order] = from === 'oldest' ? (['>', 'asc'] as const) : (['<', 'desc'] as const)
  const all = reader
    .selectFrom('patchbay_sip_messages')
    .select(['captured_at', 'message_key', 'method', 'transport', 'content'])
    .select(['source', 'source_port', 'destination', 'destination_port', 'agent', 'arrival'])
    .where('sip_callid', '=', sip_callid)
    .orderBy('captured_at', order)
    .orderBy('message_key', order)
    .limit(limit)
  const rest =
    after &&
    all.where((where) =>
      where.or([
        where('captured_at', beyond, after.at),
        where.and([where('captured_at', '=', after.at), where('message_key', beyond, after.message_key)]),
      ]),
    )
  const rows = await (rest ?? all).execute()
  return rows.map((row) => toMessage({ ...row, sip_callid }))
}

/**
 * Creates the captures in Patchbay's own database.
 * @param now returns milliseconds since the Unix epoch
 */
export const createSqlCaptures = (database: Database, now: () => number = Date.now): Captures & CaptureSink => ({
  ...createCaptureReader((batch) => selectBatch(database, batch)),

  async store(messages) {
    const received_at = now()
    const rows = messages.map((message) => ({
      ...toRow(message),
      received_at,
      arrival: nextArrival(received_at),
    }))
    return inTransaction(database, async (trx) => {
      const added = await insertIgnoringDuplicates(trx, database.engine, 'patchbay_sip_messages', rows)
      await addMarks(trx, database.engine, messages, received_at)
      return added.length
    })
  },
})
