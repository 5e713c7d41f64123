import { headerIn, parseSipHead } from './message-head.ts'
import { firstUriIn, scanAddressParameters, scanParameter, splitValues } from './scan.ts'

/** Parses complete SIP messages for the analysis of a call (RFC 3261 §7, §20). Pure. */

export interface ParsedSipMessage {
  /** Method of the request. For a response, the method in CSeq. */
  method: string
  /** Status code of a response. Undefined for a request. */
  status: number | undefined
  /** Summary of the start line: `INVITE`, `180 Ringing`. */
  title: string
  /** Full header names in lower case. */
  headers: readonly (readonly [name: string, value: string])[]
  body: string
  /** CSeq number. NaN if the header is missing. */
  number: number
  /** Empty if the address has no tag. */
  fromTag: string
  toTag: string
  /**
   * Branches of the Via headers, from the last hop to the first, which identify a transaction on its hop (RFC 3261
   * §17.1.3). Empty texts for values without a branch.
   */
  branches: readonly string[]
  /** True if the body is shorter than Content-Length (RFC 3261 §18.3). */
  isCut: boolean
}

/** Returns the first header with this name, or undefined. */
export const getHeader = ({ headers }: Pick<ParsedSipMessage, 'headers'>, name: string): string | undefined =>
  headers.find(([one]) => one === name)?.[1]

/** Returns the values of all headers with this name, in order. The name is in lower case. */
export const headersNamed = ({ headers }: Pick<ParsedSipMessage, 'headers'>, name: string): string[] =>
  headers.filter(([one]) => one === name).map(([, value]) => value)

const parseTag = (address = ''): string => scanParameter(scanAddressParameters(address), 'tag') ?? ''

/**
 * Returns the host of the first SIP URI in a header value, without port and without the brackets of an IPv6 address.
 * Returns an empty string if there is no SIP URI.
 */
export const parseUriHost = (address: string): string => {
  const [, rest = ''] = /^[ \t]*sips?:(.*)$/i.exec(firstUriIn(address)) ?? []
  const host = rest.slice(rest.lastIndexOf('@') + 1)
  const end = host.startsWith('[') ? host.indexOf(']') : -1
  return (end > 0 ? host.slice(1, end) : (host.split(/[:;?>,\s]/, 1)[0] ?? '')).toLowerCase()
}

const bytes = (text: string): number => new TextEncoder().encode(text).length

/** Parses a SIP message with its body. Returns undefined if the text is not SIP or has no method. Takes linear time. */
export const parseSip = (text: string): ParsedSipMessage | undefined => {
  const { start, lines, end } = parseSipHead(text)
  const { requested, status, reason } = start
  const headers = lines.flatMap((line) => {
    const header = headerIn(line)
    return header === undefined ? [] : [header]
  })
  const [, number, counted] = /^(\d{1,10})[ \t]+(\S{1,32})$/.exec(getHeader({ headers }, 'cseq') ?? '') ?? []
  const method = requested ?? (status && counted)
  if (method === undefined) return undefined
  const body = text.slice(end).replace(/^\r?\n\r?\n/, '')
  const length = Number(getHeader({ headers }, 'content-length') ?? 0)
  return {
    method: method.toUpperCase(),
    status: status === undefined ? undefined : Number(status),
    title: requested?.toUpperCase() ?? `${status} ${reason}`.trim(),
    headers,
    body,
    number: Number(number ?? Number.NaN),
    fromTag: parseTag(getHeader({ headers }, 'from')),
    toTag: parseTag(getHeader({ headers }, 'to')),
    branches: headersNamed({ headers }, 'via')
      .flatMap(splitValues)
      .map((via) => scanParameter(via, 'branch') ?? ''),
    isCut: bytes(body) < length,
  }
}
