import { describeCause, describeLocation, describeWarningCode } from './causes.ts'
import { getHeader, headersNamed, type ParsedSipMessage } from './parser.ts'
import { firstQuotedString, scanParameter, splitValues, takeComment, unescapeQuoted } from './scan.ts'
import { sipStatusName } from './statuses.ts'

/** Parses the headers in which a SIP message gives its reasons, and puts them in words. Takes linear time. Pure. */

type Headers = Pick<ParsedSipMessage, 'headers'>

/** The longest text of another party that a sentence contains, in characters. */
const maxText = 300

/** Removes control characters from a text of another party, and shortens it. */
export const cleanText = (text: string): string => {
  // oxlint-disable-next-line no-control-regex -- control characters are what has to be removed
  const plain = text.replace(/[\u0000-\u001f\u007f\u2028\u2029]+/g, ' ').trim()
  return plain.length > maxText ? `${plain.slice(0, maxText)}…` : plain
}

const parseNumber = (text: string | undefined): number | undefined =>
  /^\d{1,9}$/.test(text ?? '') ? Number(text) : undefined

/** A value of a Reason header (RFC 3326 §2, RFC 8606, RFC 9366, RFC 9410). */
export interface Reason {
  /** In upper case: `SIP`, `Q.850`, `STIR`, or the name of a vendor. */
  protocol: string
  cause: number | undefined
  /** The complete text, which can contain the details of a blocked call. */
  text: string | undefined
  location: string | undefined
  /** True if the value names the PASSporT that it is about. */
  hasPassport: boolean
}

const parseReason = (value: string): Reason => {
  // Phones of some vendors write the text as `description`, without a cause.
  const text = scanParameter(value, 'text') ?? scanParameter(value, 'description')
  return {
    protocol: cleanText((value.split(';', 1)[0] ?? '').slice(0, 40)).toUpperCase(),
    cause: parseNumber(scanParameter(value, 'cause')),
    text: text === undefined ? undefined : unescapeQuoted(text).trim() || undefined,
    location: scanParameter(value, 'location'),
    hasPassport: scanParameter(value, 'ppi') !== undefined,
  }
}

/** The number of reasons and warnings that are read from one message. */
const maxValues = 20

/**
 * Returns the reasons of a message: those of all its Reason headers, with SIP reasons first, because a gateway often
 * adds a less specific cause of Q.850.
 */
export const parseReasons = (message: Headers): Reason[] =>
  headersNamed(message, 'reason')
    .flatMap(splitValues)
    .slice(0, maxValues)
    .map(parseReason)
    .filter(({ protocol, cause, text }) => protocol !== '' || cause !== undefined || text !== undefined)
    .toSorted((a, b) => Number(b.protocol === 'SIP') - Number(a.protocol === 'SIP'))

/** Marks the text of a reason that contains the details of a blocked call (ATIS-1000099). */
export const analyticsMark = 'v=analytics1;'

/** Microsoft Teams writes an identifier for its support before the sentence. */
const supportId = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12});([^]*)$/i

const describeText = (text: string): string => {
  if (text.toLowerCase().startsWith(analyticsMark)) return 'blocked by analytics'
  const [, id, sentence = ''] = supportId.exec(text) ?? []
  return id === undefined ? cleanText(text) : `${cleanText(sentence)} (identifier for support: ${id})`
}

const formatReason = ({ protocol, cause, text, location, hasPassport }: Reason): string => {
  const meaning =
    text === undefined
      ? cause === undefined
        ? undefined
        : protocol === 'Q.850'
          ? describeCause(cause)
          : protocol === 'SIP' || protocol === 'STIR'
            ? sipStatusName(cause)
            : undefined
      : describeText(text)
  const where = location === undefined ? undefined : describeLocation(location)
  return [
    [protocol, ...(cause === undefined ? [] : [`cause ${cause}`])].filter(Boolean).join(' '),
    meaning,
    where && `from ${where}`,
    hasPassport && 'about a signature of the calling number',
  ]
    .filter(Boolean)
    .join(', ')
}

const parseWarningCode = (value: string): number | undefined => parseNumber(value.slice(0, 4).trim())

/** A value of a Warning header (RFC 3261 §20.43): `399 sbc.example "Text"`. */
const formatWarning = (value: string): string | undefined => {
  const text = cleanText(firstQuotedString(value) ?? '')
  const code = parseWarningCode(value)
  return text || (code === undefined ? undefined : describeWarningCode(code))
}

const splitWarnings = (message: Headers): string[] =>
  headersNamed(message, 'warning').flatMap(splitValues).slice(0, maxValues)

/** Returns the texts of the Warning headers of a message. */
export const listWarnings = (message: Headers): string[] =>
  splitWarnings(message).flatMap((value) => formatWarning(value) ?? [])

/** Returns the codes of the Warning headers of a message. */
export const listWarningCodes = (message: Headers): number[] =>
  splitWarnings(message).flatMap((value) => parseWarningCode(value) ?? [])

const sentence = (introduction: string, values: readonly string[]): string =>
  values.length === 0 ? '' : ` ${introduction}: ${values.join('; ')}.`

/** Formats reasons and the Warning headers of a message. Values that say the same are written once. */
export const formatReasons = (reasons: readonly Reason[], message: Headers): string =>
  sentence('Reason given', [...new Set(reasons.map(formatReason))]) +
  sentence('It warns', [...new Set(listWarnings(message))])

/**
 * Formats the Reason and Warning headers of a message: ` Reason given: Q.850 cause 17, user busy.` Empty if there are
 * none, and if they have no value.
 */
export const formatReasonHeaders = (message: Headers): string => formatReasons(parseReasons(message), message)

/** A Retry-After header (RFC 3261 §20.33). */
export interface RetryAfter {
  seconds: number
  comment: string | undefined
  /** The time for which the party can be reached from then on. */
  durationSeconds: number | undefined
}

/** Parses the Retry-After header. Returns undefined if there is none, or if it has no number. */
export const parseRetryAfter = (message: Headers): RetryAfter | undefined => {
  const value = getHeader(message, 'retry-after') ?? ''
  const [, digits] = /^(\d{1,9})(?!\d)/.exec(value) ?? []
  if (digits === undefined) return undefined
  const { comment, rest } = takeComment(value)
  return {
    seconds: Number(digits),
    comment: comment === undefined ? undefined : cleanText(comment),
    durationSeconds: parseNumber(scanParameter(rest, 'duration')),
  }
}

const formatSeconds = (seconds: number): string => (seconds === 1 ? '1 second' : `${seconds} seconds`)

/**
 * Formats the Retry-After header of a response: ` It asks not to try again for 120 seconds ("maintenance").` With 503, the
 * time concerns the host that sent it, otherwise the called party.
 */
export const formatRetryAfter = (message: Headers & Pick<ParsedSipMessage, 'status'>): string => {
  const retry = parseRetryAfter(message)
  if (retry === undefined) return ''
  const { seconds, comment, durationSeconds } = retry
  const what = message.status === 503 ? 'to send it no calls' : 'not to try again'
  const remark = comment === undefined ? '' : ` ("${comment}")`
  const until =
    durationSeconds === undefined ? '' : `, and can be reached for ${formatSeconds(durationSeconds)} after that`
  return ` It asks ${what} for ${formatSeconds(seconds)}${remark}${until}.`
}

/**
 * Codes that Telnyx documents, with the status of their response. Codes about which sources contradict each other are
 * absent, such as D10, D14, and D52: their responses contain a phrase.
 */
const telnyxCodes: Readonly<Record<string, readonly [status: number, meaning: string]>> = {
  D1: [403, 'limit of calls reached'],
  D2: [403, 'limit of calls reached'],
  D3: [403, 'limit of calls reached'],
  D11: [403, 'invalid destination number'],
  D12: [403, 'destination not allowed for the service plan'],
  D13: [403, 'country of the destination not allowed'],
  D15: [403, 'account or profile disabled'],
  D16: [403, 'account or profile disabled'],
  D17: [403, 'account or profile disabled'],
  D18: [404, 'connection inactive'],
  D19: [404, 'account blocked for billing'],
  D21: [480, 'no destination'],
  D22: [403, 'limit of calls reached'],
  D24: [403, 'rate too expensive'],
}

/** Errors that Twilio documents. */
const twilioErrors: Readonly<Record<string, string>> = {
  '10001': 'account not active',
  '32011': 'the peer did not answer',
  '32020': 'invalid PASSporT',
  '32200': 'no permission, or inactive',
  '32224': 'blocked by regulation',
}

/** Returns the code in a header of Twilio, and what it means by its text or by the documentation. */
const parseTwilioError = (value: string): { code: string; meaning: string | undefined } | undefined => {
  const [, code, rest = ''] = /^(\d{4,6})\b(.*)$/.exec(value) ?? []
  if (code === undefined) return undefined
  return { code, meaning: cleanText(rest.replace(/^[ \t:;,-]{0,10}/, '')) || twilioErrors[code] }
}

const formatTwilioError = (value: string): string[] => {
  const error = parseTwilioError(value)
  if (error === undefined) return value === '' ? [] : [` Twilio error: ${cleanText(value)}.`]
  return [` Twilio error ${[error.code, error.meaning].filter(Boolean).join(', ')}.`]
}

/** Returns the reason phrase of a response. */
export const getPhrase = ({ title, status }: Pick<ParsedSipMessage, 'title' | 'status'>): string =>
  status === undefined ? '' : title.slice(String(status).length).trim()

/** Returns a code of Telnyx in the phrase of a response, and what it means by the documentation. */
const parseTelnyxCode = (
  message: Pick<ParsedSipMessage, 'title' | 'status'>,
): { code: string; meaning: string } | undefined => {
  const [code = ''] = /\bD\d{1,2}\b/.exec(getPhrase(message)) ?? []
  const [status, meaning] = Object.hasOwn(telnyxCodes, code) ? (telnyxCodes[code] ?? []) : []
  return status === message.status && meaning !== undefined ? { code, meaning } : undefined
}

const formatTelnyxCode = (message: Pick<ParsedSipMessage, 'title' | 'status'>): string[] => {
  const parsed = parseTelnyxCode(message)
  return parsed === undefined ? [] : [` Telnyx documents ${parsed.code} as: ${parsed.meaning}.`]
}

/** Returns what an error means that a parsed provider names in its response: `account not active`. */
export const findProviderError = (message: ParsedSipMessage): string | undefined =>
  parseTwilioError(getHeader(message, 'x-twilio-error') ?? '')?.meaning ?? parseTelnyxCode(message)?.meaning

/**
 * Formats what known providers and the jambonz platform add to their responses: ` Twilio error 10001, account not
 * active.` Empty if there is nothing.
 */
export const formatProviderDetails = (message: ParsedSipMessage): string => {
  const twilio = getHeader(message, 'x-twilio-error')
  const reason = cleanText(getHeader(message, 'x-reason') ?? '')
  const limit = cleanText(getHeader(message, 'x-call-limit') ?? '')
  return [
    ...(twilio === undefined ? [] : formatTwilioError(twilio)),
    ...formatTelnyxCode(message),
    ...(reason === '' ? [] : [` X-Reason: ${reason}.`]),
    ...(limit === '' ? [] : [` X-Call-Limit: ${limit}.`]),
  ].join('')
}
