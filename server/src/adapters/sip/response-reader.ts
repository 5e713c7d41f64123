import { headersNamed, type ParsedSipMessage, parseSip } from '@patchbay/rules/sip/parser'
import { scanParameter } from '@patchbay/rules/sip/scan'
import type { OptionsTransaction } from './options-request.ts'
import { SipRequestError, sanitizePeerText } from './sip-errors.ts'

/** Reads responses to a request (RFC 3261 §8.1.3, §18.3). The peer can send anything. */

/** Maximum number of bytes that are read from a peer. */
export const maxResponseBytes = 64 * 1024

export interface SipResponse {
  /** 200 to 699. */
  status: number
  reason: string
}

const hasBranch = (message: ParsedSipMessage, branch: string): boolean => {
  const vias = headersNamed(message, 'via')
  // A second Via means that the response is for another element, and must be discarded (RFC 3261 §8.1.3.3).
  return vias.length === 1 && !vias[0]?.includes(',') && scanParameter(vias[0] ?? '', 'branch') === branch
}

/**
 * Returns the final response of the transaction, `ignored` for provisional responses, requests, and responses of other
 * transactions, and `malformed` for anything that is not SIP.
 */
export const readMessage = (text: string, transaction: OptionsTransaction): SipResponse | 'ignored' | 'malformed' => {
  const message = parseSip(text)
  if (message === undefined) return 'malformed'
  const { status, title, method } = message
  if (status === undefined) return 'ignored'
  if (method !== 'OPTIONS' || !hasBranch(message, transaction.branch)) return 'ignored'
  if (status < 100 || status > 699) return 'malformed'
  return status < 200 ? 'ignored' : { status, reason: sanitizePeerText(title.slice(3)) }
}

const lineBreaks: ReadonlySet<number | undefined> = new Set([0x0d, 0x0a])

/** Number of bytes after which the first line must look like SIP. */
const recognizableBytes = 32

const looksLikeSip = (start: string): boolean => /^(?:SIP\/2\.0 |[A-Z]+ )/i.test(start)

const readContentLength = (head: string): number => {
  const [, length] = /^(?:content-length|l)[ \t]*:[ \t]*(\d{1,9})[ \t]*\r?$/im.exec(head) ?? []
  return Number(length ?? 0)
}

/**
 * Splits the bytes of a connection into messages.
 *
 * @returns a function that receives the next bytes, and returns the final response as soon as its headers are complete
 * @throws SipRequestError `malformed_response` or `response_too_large`
 */
export const createStreamReader = (transaction: OptionsTransaction): ((bytes: Buffer) => SipResponse | undefined) => {
  // A fixed buffer, because a peer that sends single bytes would make a growing one expensive.
  const buffer = Buffer.alloc(maxResponseBytes)
  let length = 0
  let start = 0
  /** Offset up to which the end of the headers has been searched. */
  let searched = 0
  /** Bytes of the body of an ignored message that have not arrived. */
  let skipped = 0

  const takeHead = (): string | undefined => {
    const drop = Math.min(skipped, length - start)
    start += drop
    skipped -= drop
    // Empty lines between messages keep the connection open (RFC 5626 §4.4.1).
    while (start < length && lineBreaks.has(buffer[start])) start += 1
    const isLong = length - start >= recognizableBytes
    if (isLong && !looksLikeSip(buffer.toString('latin1', start, start + recognizableBytes)))
      throw new SipRequestError('malformed_response')
    const end = buffer.subarray(0, length).indexOf('\r\n\r\n', Math.max(start, searched - 3))
    searched = length
    if (end === -1) return undefined
    const head = buffer.toString('utf8', start, end + 4)
    start = end + 4
    searched = start
    skipped = readContentLength(head)
    return head
  }

  return (bytes) => {
    if (length + bytes.length > maxResponseBytes) throw new SipRequestError('response_too_large')
    bytes.copy(buffer, length)
    length += bytes.length
    for (let head = takeHead(); head !== undefined; head = takeHead()) {
      const result = readMessage(head, transaction)
      if (result === 'malformed') throw new SipRequestError('malformed_response')
      if (result !== 'ignored') return result
    }
    return undefined
  }
}
