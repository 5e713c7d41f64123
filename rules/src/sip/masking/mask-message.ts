import type { ReportMasking } from '@patchbay/contract/shared/call-report-choices'
import { headerIn, parseSipHead } from '../message-head.ts'
import { getHeader, parseSip } from '../parser.ts'
import { maskHostPort, maskUri } from './mask-address.ts'
import { maskHeader } from './mask-header.ts'
import { maskSdp } from './mask-sdp.ts'
import { createPseudonyms, type Pseudonyms } from './pseudonyms.ts'

/**
 * Masks captured SIP messages for people outside the tenant. Messages are written again from what is known about their
 * grammar, and everything else is left out, so that nothing passes because a rule for it is missing. Pure.
 */

/** Replaces what is left out. */
const leftOut = '[left out]'

const notSip = `This packet is not SIP. Its content is left out.`

/** Longer lines are only parsed in part, so they are left out. */
const maxLineLength = 1000
const maxIdentityLength = 8000
const maxHeadLength = 32_000

const headerName = /^[a-z][a-z-]{0,39}$/i

const maskStart = (line: string, pseudonyms: Pseudonyms): string => {
  const [, code, reason = ''] = /^SIP\/2\.0 (\d{3})(?: (.*))?$/i.exec(line) ?? []
  if (code !== undefined) return `SIP/2.0 ${code} ${pseudonyms.maskText(reason.slice(0, maxLineLength))}`
  const [method = '', uri = ''] = line.split(' ', 2)
  return `${method} ${maskUri(uri.slice(0, maxLineLength), pseudonyms) ?? 'sip:left-out.invalid'} SIP/2.0`
}

const maskLine = (line: string, pseudonyms: Pseudonyms): string[] => {
  const [name = '', value = ''] = headerIn(line) ?? []
  const writtenName = line.slice(0, line.indexOf(':')).trim()
  if (name === 'content-length' || name === 'content-type' || !headerName.test(writtenName)) return []
  const isTooLong = line.length > (name === 'identity' ? maxIdentityLength : maxLineLength)
  const masked = isTooLong ? undefined : maskHeader(name, value, pseudonyms)
  return [`${writtenName}: ${masked ?? leftOut}`]
}

/** The first line says how a transferred call proceeds (RFC 3515 §2.4.5). */
const maskFragment = (body: string, pseudonyms: Pseudonyms): string =>
  /^SIP\/2\.0 \d{3}\b/.test(body) ? `${maskStart(body.split(/\r?\n/, 1)[0] ?? '', pseudonyms)}\r\n` : leftOut

/** Bodies other than session descriptions contain digits that callers press, texts, and names. */
const maskBody = (type: string, body: string, pseudonyms: Pseudonyms): { type: string; body: string } => {
  if (/^application\/sdp$/i.test(type)) return { type, body: maskSdp(body, pseudonyms) }
  if (/^message\/sipfrag$/i.test(type)) return { type, body: maskFragment(body, pseudonyms) }
  return { type: 'text/plain', body: `${leftOut}\r\n` }
}

const byteLength = (text: string): number => new TextEncoder().encode(text).length

const maskOnce = (raw: string, pseudonyms: Pseudonyms): string => {
  const parsed = parseSip(raw)
  const { lines, end } = parseSipHead(raw)
  if (parsed === undefined || end > maxHeadLength) return notSip
  const start = maskStart(raw.trimStart().split(/\r?\n/, 1)[0]?.trimEnd() ?? '', pseudonyms)
  const type = (getHeader(parsed, 'content-type') ?? '').split(';', 1)[0]?.trim() ?? ''
  const content = parsed.body.trim() === '' ? undefined : maskBody(type, parsed.body, pseudonyms)
  const head = [start, ...lines.flatMap((line) => maskLine(line, pseudonyms))]
  if (content !== undefined) head.push(`Content-Type: ${content.type}`)
  const body = content?.body ?? ''
  // The numbers and addresses of the call are searched everywhere again, in case that a rule has let one pass.
  const masked = pseudonyms.maskIdentifier(body)
  return `${pseudonyms.maskIdentifier(head.join('\r\n'))}\r\nContent-Length: ${byteLength(masked)}\r\n\r\n${masked}`
}

export interface SipMasker extends Pick<Pseudonyms, 'maskText' | 'maskUser'> {
  /** Masks a message of the call. */
  maskMessage: (raw: string) => string
  /** Masks an address, with or without a port. */
  maskHost: (host: string) => string
  maskCallId: (callId: string) => string
}

/**
 * Creates a masker for the messages of a call, which replaces a value alike in all of them.
 * @param users the numbers and users of the call's records, which get the first pseudonyms
 * @param addresses the addresses of the packets
 */
export const createSipMasker = (
  masking: ReportMasking,
  messages: readonly string[],
  { users = [], addresses = [] }: { users?: readonly string[]; addresses?: readonly string[] } = {},
): SipMasker => {
  const pseudonyms = createPseudonyms(masking, [...messages, ...addresses])
  for (const user of users) pseudonyms.maskUser(user)
  for (const address of addresses) pseudonyms.maskHost(address)
  const maskHost = (host: string) => maskHostPort(host, pseudonyms) ?? pseudonyms.maskHost(host) ?? leftOut
  // A message can contain the number that only a later message says is one, so all are read first.
  for (const message of messages) maskOnce(message, pseudonyms)
  return {
    maskText: pseudonyms.maskText,
    maskUser: pseudonyms.maskUser,
    maskHost,
    maskCallId: (callId) => maskHeader('call-id', callId, pseudonyms) ?? leftOut,
    maskMessage: (raw) => maskOnce(raw, pseudonyms),
  }
}
