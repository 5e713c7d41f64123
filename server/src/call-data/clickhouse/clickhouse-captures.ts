import { isUtf8 } from 'node:buffer'
import { dayMs } from '@patchbay/contract/shared/durations'
import type { CaptureSink, Captures, ReceivedMessage } from '../captures/captures.ts'
import {
  createCaptureReader,
  getMessageKey,
  type MessageBatch,
  nextArrival,
  type StoredMessage,
} from '../captures/read-captures.ts'
import type { ClickHouse } from './clickhouse.ts'
import { toDayCondition } from './part-table.ts'
import { leaveOutStored, type StoredTable, selectByPairs } from './stored-table.ts'
import type { TableWriter } from './table-writer.ts'

/** Captured SIP in ClickHouse. */

/** A row of the table `sip_messages`. */
export interface MessageRow {
  sip_callid: string
  /** Microseconds since the Unix epoch. */
  captured_at: number
  message_key: string
  /** Milliseconds since the Unix epoch. */
  received_at: number
  method: string
  transport: number
  source: string
  source_port: number
  destination: string
  destination_port: number
  /** Whether the content is in base64, because it is not UTF-8. */
  is_base64: boolean
  content: string
  /** ID of the capture agent, or null. */
  agent: number | null
  /** See `nextArrival`. 0 for messages of versions that did not store it. */
  arrival: number
}

type SelectedRow = Omit<MessageRow, 'sip_callid' | 'captured_at' | 'received_at' | 'arrival'> & {
  captured_at: string
  arrival: string
}

type Key = Pick<MessageRow, 'sip_callid' | 'message_key'> & { captured_at: number | string }

const toKey = ({ sip_callid, captured_at, message_key }: Key): string => `${sip_callid}\n${captured_at}\n${message_key}`

/** Memory per row in addition to its content. */
const columnBytes = 400

/** Agents repeat a packet within seconds, so the comparison does not read older partitions. */
const repeatedWithinMs = dayMs

export const messageTable: StoredTable<MessageRow> = {
  name: 'sip_messages',
  toKey,
  measure: ({ content }) => content.length + columnBytes,
  async compare(clickHouse, rows, signal) {
    const since = Math.min(...rows.map(({ received_at }) => received_at)) - repeatedWithinMs
    const selected = {
      table: 'sip_messages',
      columns: 'sip_callid, captured_at, message_key',
      pair: ['sip_callid', 'captured_at'],
      condition: 'received_at >= {since:Int64}',
      parameters: { since },
    } as const
    const stored = await selectByPairs<Key, MessageRow>(clickHouse, selected, rows, signal)
    return { missing: leaveOutStored(rows, stored, toKey), excess: [] }
  },
}

export const toMessageRow = (message: ReceivedMessage, received_at: number, arrival: number): MessageRow => {
  const content = Buffer.from(message.content)
  const is_base64 = !isUtf8(content)
  return {
    sip_callid: message.sip_callid,
    captured_at: message.at,
    message_key: getMessageKey(message),
    received_at,
    method: message.method,
    transport: message.transport,
    source: message.source.address,
    source_port: message.source.port,
    destination: message.destination.address,
    destination_port: message.destination.port,
    is_base64,
    content: content.toString(is_base64 ? 'base64' : 'utf8'),
    agent: message.agent ?? null,
    arrival,
  }
}

/** Creates the destination of captured messages. */
export const createClickHouseCaptureSink = (
  writer: TableWriter<MessageRow>,
  now: () => number = Date.now,
): CaptureSink => ({
  async store(messages) {
    const received_at = now()
    const rows = messages.map((message) => toMessageRow(message, received_at, nextArrival(received_at)))
    return (await writer.store(rows)).added
  },
})

const selectBatch = async (
  clickHouse: ClickHouse,
  { sip_callid, from, after, limit }: MessageBatch,
): Promise<StoredMessage[]> => {
  const [beyond, order] = from === 'oldest' ? ['>', 'ASC'] : ['<', 'DESC']
  const rows = await clickHouse.query<SelectedRow>(
    `SELECT captured_at, message_key, method, transport, source, source_port, destination, destination_port,
       is_base64, content, agent, arrival
     FROM sip_messages
     WHERE sip_callid = {sip_callid:String} AND ${toDayCondition('sip_callid', [sip_callid])}
       ${after ? `AND (captured_at, message_key) ${beyond} ({at:Int64}, {key:String})` : ''}
     ORDER BY captured_at ${order}, message_key ${order}
     LIMIT 1 BY captured_at, message_key LIMIT {limit:UInt32}`,
    { sip_callid, limit, ...(after ? { at: after.at, key: after.message_key } : {}) },
  )
  return rows.map((row) => ({
    sip_callid,
    message_key: row.message_key,
    method: row.method,
    at: Number(row.captured_at),
    transport: row.transport,
    source: { address: row.source, port: row.source_port },
    destination: { address: row.destination, port: row.destination_port },
    content: Buffer.from(row.content, row.is_base64 ? 'base64' : 'utf8'),
    agent: row.agent ?? undefined,
    arrival: Number(row.arrival),
  }))
}

/** Creates the reader of captured SIP. */
export const createClickHouseCaptures = (clickHouse: ClickHouse): Captures =>
  createCaptureReader((batch) => selectBatch(clickHouse, batch))
