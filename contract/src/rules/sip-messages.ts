/** SIP messages, as far as it takes to file them and to show them (RFC 3261 §7, §20). Pure. */

export interface SipMessage {
  /** of a request, or of the request that an answer answers (CSeq) */
  method: string
  /** of an answer; undefined in a request */
  status: number | undefined
  /** what its first line says: `INVITE`, `180 Ringing` */
  title: string
  callid: string
  /** empty where the address has none */
  from_user: string
  to_user: string
}

/** A Call-ID as it may be in a message: printable, without spaces. Longer ones are not kept. */
export const isCallId = (text: string): boolean => /^[\x21-\x7e]{1,255}$/.test(text)

/** RFC 3261 §7.3.3, §20; RFC 4028 §4 */
const fullNames: Readonly<Record<string, string>> = {
  i: 'call-id',
  f: 'from',
  t: 'to',
  v: 'via',
  m: 'contact',
  c: 'content-type',
  l: 'content-length',
  s: 'subject',
  k: 'supported',
  e: 'content-encoding',
  x: 'session-expires',
}

/** Its name in full and in lower case, and what it says; undefined for what is no header. */
export const headerIn = (line: string): readonly [name: string, value: string] | undefined => {
  const colon = line.indexOf(':')
  if (colon < 1) return undefined
  const given = line.slice(0, colon).trim().toLowerCase()
  return [fullNames[given] ?? given, line.slice(colon + 1).trim()]
}

/** The first of each header by its full name, in lower case. */
const headersOf = (lines: readonly string[]): ReadonlyMap<string, string> => {
  const headers = new Map<string, string>()
  for (const header of lines.map(headerIn)) if (header !== undefined && !headers.has(header[0])) headers.set(...header)
  return headers
}

const token = "[\\w.!%*+`'~-]{1,32}"
const requestLine = new RegExp(`^(${token}) \\S+ SIP/2\\.0$`, 'i')
const statusLine = /^SIP\/2\.0 (\d{3})(?: (.*))?$/i
const sequence = new RegExp(`^\\d{1,10}[ \\t]+(${token})$`)

/** Of `"Ann" <sip:ann:secret@host;user=phone>;tag=1` it is `ann`. */
const userOf = (address = ''): string => {
  const bare = address.replace(/"(?:[^"\\]|\\.)*"/g, '')
  const uri = /<([^>]*)>/.exec(bare)?.[1] ?? bare
  const [, scheme = '', rest = ''] = /^\s*(sips?|tel):(.*)$/i.exec(uri) ?? []
  const at = rest.indexOf('@')
  if (scheme.toLowerCase() === 'tel') return rest.split(';')[0] ?? ''
  return at < 0 ? '' : (rest.slice(0, at).split(/[;:]/)[0] ?? '')
}

/** A start line and headers are read as far as this. */
const mostHead = 32_768

export interface SipStart {
  /** of a request */
  requested: string | undefined
  /** of an answer */
  status: string | undefined
  reason: string
}

/** The start line and the lines of the headers, folded ones as one, and how far they go. */
export const sipHeadOf = (text: string) => {
  const from = text.length - text.trimStart().length
  const [head = ''] = text.slice(from, from + mostHead).split(/\r?\n\r?\n/, 1)
  const [line = '', ...lines] = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const [, requested] = requestLine.exec(line.trimEnd()) ?? []
  const [, status, reason = ''] = statusLine.exec(line.trimEnd()) ?? []
  const start: SipStart = { requested, status, reason }
  return { start, lines, end: from + head.length }
}

/** Undefined for what is no SIP, or has no Call-ID or no method. */
export const sipMessageOf = (text: string): SipMessage | undefined => {
  const { start, lines } = sipHeadOf(text)
  const { requested, status, reason } = start
  const headers = headersOf(lines)
  const [, counted] = sequence.exec(headers.get('cseq') ?? '') ?? []
  const method = requested ?? (status && counted)
  const callid = headers.get('call-id') ?? ''
  if (method === undefined || !isCallId(callid)) return undefined
  return {
    method,
    status: status === undefined ? undefined : Number(status),
    title: requested ?? `${status} ${reason}`.trim(),
    callid,
    from_user: userOf(headers.get('from')),
    to_user: userOf(headers.get('to')),
  }
}
