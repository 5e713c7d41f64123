import { createHash } from 'node:crypto'
import { type Database, insertNew, inTransaction } from '../../database/engine.ts'
import type { Captures, CaptureSink, SeenMessage } from './captures.ts'
import { pcapOf } from './pcap.ts'
import { wireCapture } from './wire-capture.ts'

/** A call has some dozens of messages, a registration a few a minute; one that never ends is read as far as this. */
const mostMessages = 2000
const mostBytes = 8 * 1024 * 1024
const atOnce = 100

const rowOf = ({ sip_callid, method, at, transport, source, destination, content }: SeenMessage) => ({
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

/** Some of the messages of a Call-ID after others, in order of time. */
const nextOf = ({ reader }: Database, sip_callid: string, after: { at: number; key: string }) =>
  reader
    .selectFrom('patchbay_sip_messages')
    .select(['captured_at', 'message_key', 'method', 'transport', 'content'])
    .select(['source', 'source_port', 'destination', 'destination_port'])
    .where('sip_callid', '=', sip_callid)
    .where((where) =>
      where.or([
        where('captured_at', '>', after.at),
        where.and([where('captured_at', '=', after.at), where('message_key', '>', after.key)]),
      ]),
    )
    .orderBy('captured_at')
    .orderBy('message_key')
    .limit(atOnce)
    .execute()

type Row = Awaited<ReturnType<typeof nextOf>>[number]

const messageOf = (sip_callid: string, row: Row): SeenMessage => ({
  sip_callid,
  method: row.method,
  at: row.captured_at,
  transport: row.transport,
  source: { address: row.source, port: row.source_port },
  destination: { address: row.destination, port: row.destination_port },
  content: row.content,
})

interface Told {
  messages: SeenMessage[]
  isCut: boolean
}

const messagesOf = async (database: Database, sip_callid: string): Promise<Told> => {
  const messages: SeenMessage[] = []
  let bytes = 0
  let after = { at: -1, key: '' }
  while (messages.length < mostMessages && bytes < mostBytes) {
    const rows = await nextOf(database, sip_callid, after)
    for (const row of rows) bytes += row.content.length
    messages.push(...rows.map((row) => messageOf(sip_callid, row)))
    const last = rows.at(-1)
    if (last === undefined || rows.length < atOnce) return { messages, isCut: false }
    after = { at: last.captured_at, key: last.message_key }
  }
  return { messages, isCut: (await nextOf(database, sip_callid, after)).length > 0 }
}

export const createSqlCaptures = (database: Database, now: () => number = Date.now): Captures & CaptureSink => ({
  async read(sip_callid) {
    const { messages, isCut } = await messagesOf(database, sip_callid)
    return { ...wireCapture(messages), ...(isCut ? { is_cut: true } : {}) }
  },

  async pcap(sip_callid, kind) {
    const { messages } = await messagesOf(database, sip_callid)
    const wanted = messages.filter(({ method }) => (method === 'REGISTER') === (kind === 'register'))
    return wanted.length === 0 ? undefined : pcapOf(wanted)
  },

  async store(messages) {
    const received_at = now()
    const rows = messages.map((message) => ({ ...rowOf(message), received_at }))
    const added = await inTransaction(database, (trx) => insertNew(trx, database.engine, 'patchbay_sip_messages', rows))
    return added.length
  },
})
