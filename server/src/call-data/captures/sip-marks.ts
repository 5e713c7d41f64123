import { parseIdentities, parseStatedVerifications } from '@patchbay/rules/sip/identity'
import { findNetworkBlock } from '@patchbay/rules/sip/network-block'
import { type ParsedSipMessage, parseSip } from '@patchbay/rules/sip/parser'
import type { Transaction } from 'kysely'
import { type Database, type EngineName, insertIgnoringDuplicates, inTransaction } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { CaptureSink, ReceivedMessage } from './captures.ts'

/**
 * Marks of captured SIP that call quality counts: blocks that a record does not tell, and claimed identities. A job counts
 * them when the record of the call has arrived (jobs/count-sip-marks.ts).
 */

export type Mark =
  | { kind: 'block' }
  | { kind: 'identity'; attestation: 'A' | 'B' | 'C' | 'none' | ''; verification: string }

/** Time until the first search for the call. Messages of an intake can be stored some seconds after its record. */
const settlingMs = 10_000

const response = /^\s*SIP\//i

/** Returns whether a message begins like a response that is no refusal, as most messages of a call do. */
const isSuccess = (content: Uint8Array): boolean => {
  const start = content[0] === 0x53 && content[1] === 0x49 && content[2] === 0x50 && content[3] === 0x2f
  const status = content[8] ?? 0
  return start && status >= 0x31 && status <= 0x33
}

/** Finds candidates before a message is parsed. Only few messages have one of these texts. */
const blockText = /^SIP\/2\.0 603 +network blocked|v=analytics1;/im
const identityText = /^(?:identity|y)[ \t]*:|verstat|x-plivo-stir-verification/im

/** The longest start line and headers that are searched, in bytes, as message-head.ts parses them. */
const maxHeadBytes = 32_768

/** Returns the start line and the headers, without the session description. */
const takeHead = (content: Uint8Array): Buffer => {
  const message = Buffer.from(content.buffer, content.byteOffset, Math.min(content.length, maxHeadBytes))
  const end = message.indexOf('\r\n\r\n', 1)
  return end < 0 ? message : message.subarray(0, end)
}

/** Returns what the first INVITE of a call claims. A `shaken` token has the attestation, others usually have none. */
const findIdentity = (invite: ParsedSipMessage): Mark | undefined => {
  const identities = parseIdentities(invite)
  const stated = parseStatedVerifications(invite).find(({ result }) => result !== undefined)
  if (identities.length === 0 && stated === undefined) return undefined
  const levels = identities.toSorted((a, b) => Number(b.type === 'shaken') - Number(a.type === 'shaken'))
  const attestation = levels.find((one) => one.attestation !== undefined)?.attestation
  return {
    kind: 'identity',
    attestation: attestation ?? (identities.length === 0 ? '' : 'none'),
    verification: stated?.result ?? '',
  }
}

/** Returns the mark of a message, or undefined for most messages, which are not parsed. */
export const findMark = ({ method, content }: Pick<ReceivedMessage, 'method' | 'content'>): Mark | undefined => {
  if (method !== 'INVITE' || isSuccess(content)) return undefined
  const head = takeHead(content)
  const text = head.toString('latin1')
  const isResponse = response.test(text)
  if (!(isResponse ? blockText : identityText).test(text)) return undefined
  const message = parseSip(head.toString('utf8'))
  if (message === undefined) return undefined
  if (!isResponse) return message.toTag === '' ? findIdentity(message) : undefined
  // The status of the record tells the other blocks.
  return findNetworkBlock(message)?.kind === 'analytics' ? { kind: 'block' } : undefined
}

const toRow = ({ sip_callid, at }: ReceivedMessage, mark: Mark, now: number) => ({
  sip_callid,
  kind: mark.kind,
  captured_at: Math.floor(at / 1000),
  received_at: now,
  attestation: mark.kind === 'identity' ? mark.attestation : '',
  verification: mark.kind === 'identity' ? mark.verification : '',
  searches: 0,
  due_at: now + settlingMs,
})

type MarkRow = ReturnType<typeof toRow>

const toRows = (messages: readonly ReceivedMessage[], now: number): MarkRow[] =>
  messages.flatMap((message) => {
    const mark = findMark(message)
    return mark === undefined ? [] : [toRow(message, mark, now)]
  })

const insertMarks = async (trx: Transaction<Tables>, engine: EngineName, rows: readonly MarkRow[]): Promise<void> => {
  if (rows.length > 0) await insertIgnoringDuplicates(trx, engine, 'patchbay_sip_marks', rows)
}

/** Stores the marks of messages in the transaction that stores the messages. */
export const addMarks = (
  trx: Transaction<Tables>,
  engine: EngineName,
  messages: readonly ReceivedMessage[],
  now: number,
): Promise<void> => insertMarks(trx, engine, toRows(messages, now))

/** Returns a sink whose messages another store contains, and their marks the database. */
export const withMarks = (sink: CaptureSink, database: Database): CaptureSink => ({
  async store(messages) {
    const rows = toRows(messages, Date.now())
    if (rows.length > 0) await inTransaction(database, (trx) => insertMarks(trx, database.engine, rows))
    return sink.store(messages)
  },
})
