import { firstUriIn } from './scan.ts'

/** Parses the start line and headers of SIP messages (RFC 3261 §7, §20). Takes linear time. Pure. */

export interface SipMessage {
  /** Method of the request. For a response, the method in CSeq. */
  method: string
  /** Status code of a response. Undefined for a request. */
  status: number | undefined
  /** Summary of the start line: `INVITE`, `180 Ringing`. */
  title: string
  callid: string
  /** Empty if the address has no user part. */
  from_user: string
  to_user: string
}

/** Returns whether a text is a valid Call-ID: printable, without spaces. Longer Call-IDs are not stored. */
export const isCallId = (text: string): boolean => /^[\x21-\x7e]{1,255}$/.test(text)

/** RFC 3261 §7.3.3, §20; RFC 3515 §2.1; RFC 3841 §9.2 to §9.4; RFC 3892 §3; RFC 4028 §4; RFC 6665 §8.4; RFC 8224 §4 */
const fullNames: ReadonlyMap<string, string> = new Map([
  ['i', 'call-id'],
  ['f', 'from'],
  ['t', 'to'],
  ['v', 'via'],
  ['m', 'contact'],
  ['c', 'content-type'],
  ['l', 'content-length'],
  ['s', 'subject'],
  ['k', 'supported'],
  ['e', 'content-encoding'],
  ['x', 'session-expires'],
  ['r', 'refer-to'],
  ['b', 'referred-by'],
  ['o', 'event'],
  ['u', 'allow-events'],
  ['a', 'accept-contact'],
  ['j', 'reject-contact'],
  ['d', 'request-disposition'],
  ['y', 'identity'],
])

/** The longest header value that is parsed, in characters. The rest of a longer value is ignored. */
const maxHeaderValue = 1024

/** Limits of headers that are longer: signed tokens, and reasons that contain one. */
const longHeaders: ReadonlyMap<string, number> = new Map([
  ['identity', 8192],
  ['reason', 4096],
])

/** The longest header name that is parsed, in characters. */
const maxHeaderName = 64

/** The number of headers that are parsed per message. */
const maxHeaders = 512

/** Returns the full lower-case name and the value of a header line, or undefined if the line is not a header. */
export const headerIn = (line: string): readonly [name: string, value: string] | undefined => {
  const colon = line.slice(0, maxHeaderName + 1).indexOf(':')
  if (colon < 1) return undefined
  const shortOrFullName = line.slice(0, colon).trim().toLowerCase()
  const name = fullNames.get(shortOrFullName) ?? shortOrFullName
  const value = line.slice(colon + 1).trimStart()
  return [name, value.slice(0, longHeaders.get(name) ?? maxHeaderValue).trimEnd()]
}

/** Returns the first value of each header, by full lower-case name. */
const toHeaderMap = (lines: readonly string[]): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>()
  for (const header of lines.map(headerIn)) if (header !== undefined && !headers.has(header[0])) headers.set(...header)
  return headers
}

const token = "[\\w.!%*+`'~-]{1,32}"
const requestLine = new RegExp(`^(${token}) \\S+ SIP/2\\.0$`, 'i')
const statusLine = /^SIP\/2\.0 (\d{3})(?: (.*))?$/i
const sequence = new RegExp(`^\\d{1,10}[ \\t]+(${token})$`)

/** Returns the user part of the first URI of a header: `ann` for `"Ann" <sip:ann:secret@host;user=phone>;tag=1`. */
const parseUser = (address = ''): string => {
  const uri = firstUriIn(address).trimStart()
  const colon = uri.indexOf(':')
  const scheme = uri.slice(0, Math.max(colon, 0)).toLowerCase()
  const rest = uri.slice(colon + 1)
  if (scheme === 'tel') return rest.split(';', 1)[0] ?? ''
  const at = scheme === 'sip' || scheme === 'sips' ? rest.indexOf('@') : -1
  return at < 0 ? '' : (rest.slice(0, at).split(/[;:]/, 1)[0] ?? '')
}

/** The longest start line and headers that are parsed, in characters. */
const maxHeadLength = 32_768

export interface SipStart {
  /** Method of a request. */
  requested: string | undefined
  /** Status code of a response. */
  status: string | undefined
  reason: string
}

/** Returns the parsed start line, the unfolded header lines, and the offset at which they end. */
export const parseSipHead = (text: string) => {
  const from = text.length - text.trimStart().length
  const [head = ''] = text.slice(from, from + maxHeadLength).split(/\r?\n\r?\n/, 1)
  const [line = '', ...lines] = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/, maxHeaders + 1)
  const [, requested] = requestLine.exec(line.trimEnd()) ?? []
  const [, status, reason = ''] = statusLine.exec(line.trimEnd()) ?? []
  const start: SipStart = { requested, status, reason }
  return { start, lines, end: from + head.length }
}

/** Parses a SIP message. Returns undefined if the text is not SIP, or has no Call-ID or no method. */
export const parseSipMessage = (text: string): SipMessage | undefined => {
  const { start, lines } = parseSipHead(text)
  const { requested, status, reason } = start
  const headers = toHeaderMap(lines)
  const [, counted] = sequence.exec(headers.get('cseq') ?? '') ?? []
  const method = requested ?? (status && counted)
  const callid = headers.get('call-id') ?? ''
  if (method === undefined || !isCallId(callid)) return undefined
  return {
    method,
    status: status === undefined ? undefined : Number(status),
    title: requested ?? `${status} ${reason}`.trim(),
    callid,
    from_user: parseUser(headers.get('from')),
    to_user: parseUser(headers.get('to')),
  }
}
