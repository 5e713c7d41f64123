import type { Capture } from '@patchbay/contract/call-captures'
import { createHash } from 'node:crypto'
import { type Database, insertIgnoringDuplicates, inTransaction } from '../../database/engine.ts'
import { isIncluded } from './capture-filter.ts'
import type { CaptureFilter, Captures, CaptureSink, ReceivedMessage } from './captures.ts'
import { toPcap } from './pcap.ts'
import { toCapture } from './capture-response.ts'

/**
 * A call has a few dozen messages, a registration a few per minute. If there are more, the first messages of a call are
 * returned, but the newest of a registration, which is refreshed as long as its carrier is active.
 */
const maxMessages = 2000
const maxBytes = 8 * 1024 * 1024
const batchSize = 100

const toRow = ({ sip_callid, method, at, transport, source, destination, content }: ReceivedMessage) => ({
  sip_callid,
  captured_at: at,
  message_key: createHash('sha256')
    .update(JSON.stringify([source, destination]))
    .update(content)
    .digest('hex'),
  method,
  transport,
  source: source.address,
  source_port: source.port,
  destination: destination.address,
  destination_port: destination.port,
  content,
})

type From = 'oldest' | 'newest'

/** Selects the next batch of messages of a Call-ID in the given order, after the `last` message. */
const selectBatch = (
  { reader }: Database,
  sip_callid: string,
  from: From,
  last: { at: number; key: string } | undefined,
) => {
  const [beyond, order] = from === 'oldest' ? (['>', 'asc'] as const) : (['<', 'desc'] as const)
  const all = reader
    .selectFrom('patchbay_sip_messages')
    .select(['captured_at', 'message_key', 'method', 'transport', 'content'])
    .select(['source', 'source_port', 'destination', 'destination_port'])
    .where('sip_callid', '=', sip_callid)
    .orderBy('captured_at', order)
    .orderBy('message_key', order)
    .limit(batchSize)
  const rest =
    last &&
    all.where((where) =>
      where.or([
        where('captured_at', beyond, last.at),
        where.and([where('captured_at', '=', last.at), where('message_key', beyond, last.key)]),
      ]),
    )
  return (rest ?? all).execute()
}

type Row = Awaited<ReturnType<typeof selectBatch>>[number]

const toMessage = (sip_callid: string, row: Row): ReceivedMessage => ({
  sip_callid,
  method: row.method,
  at: row.captured_at,
  transport: row.transport,
  source: { address: row.source, port: row.source_port },
  destination: { address: row.destination, port: row.destination_port },
  content: row.content,
})

interface CaptureResult {
  /** Ordered by time. */
  messages: ReceivedMessage[]
  /** Set if there are more messages: the end at which they are missing. */
  cut_at?: NonNullable<Capture['cut_at']>
}

/** Maximum number of rows to read for the messages that a filter includes. */
const maxRows = 10_000

const everything: CaptureFilter = { kinds: ['invite', 'register'], includes: () => true }

const readMessages = async (database: Database, sip_callid: string, filter = everything): Promise<CaptureResult> => {
  // See `maxMessages`: a registration is refreshed continuously, so its newest messages are read.
  const from: From = filter.kinds.includes('invite') ? 'oldest' : 'newest'
  const messages: ReceivedMessage[] = []
  const inOrder = () => (from === 'oldest' ? messages : messages.toReversed())
  let [bytes, rowCount] = [0, 0]
  let position: { at: number; key: string } | undefined
  while (messages.length < maxMessages && bytes < maxBytes && rowCount < maxRows) {
    const rows = await selectBatch(database, sip_callid, from, position)
    for (const row of rows) {
      if (!isIncluded(filter, row.method, row.captured_at)) continue
      bytes += row.content.length
      messages.push(toMessage(sip_callid, row))
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < batchSize) return { messages: inOrder() }
    rowCount += rows.length
    position = { at: last.captured_at, key: last.message_key }
  }
  const isAll = (await selectBatch(database, sip_callid, from, position)).length === 0
  return { messages: inOrder(), ...(isAll ? {} : { cut_at: from === 'oldest' ? 'end' : 'beginning' }) }
}

/**
 * Creates the captures in Patchbay's own database.
 * @param now returns milliseconds since the Unix epoch
 */
export const createSqlCaptures = (database: Database, now: () => number = Date.now): Captures & CaptureSink => ({
  filters: true,

  async read(sip_callid, filter) {
    const { messages, cut_at } = await readMessages(database, sip_callid, filter)
    return { ...toCapture(messages), ...(cut_at ? { is_cut: true, cut_at } : {}) }
  },

  async pcap(sip_callid, kind, filter) {
    const { messages } = await readMessages(database, sip_callid, filter)
    const selected = messages.filter(({ method }) => (method === 'REGISTER') === (kind === 'register'))
    return selected.length === 0 ? undefined : toPcap(selected)
  },

  async store(messages) {
    const received_at = now()
    const rows = messages.map((message) => ({ ...toRow(message), received_at }))
    const added = await inTransaction(database, (trx) =>
      insertIgnoringDuplicates(trx, database.engine, 'patchbay_sip_messages', rows),
    )
    return added.length
  },
})
