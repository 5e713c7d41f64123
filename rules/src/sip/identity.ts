import { asArray, asRecord, asString } from '../traces/traces.ts'
import { getHeader, headersNamed, type ParsedSipMessage } from './parser.ts'
import { cleanText } from './reasons.ts'
import { firstUriIn, scanAddressParameters, scanParameter, splitValues } from './scan.ts'

/**
 * Decodes signed calling numbers (STIR/SHAKEN: RFC 8224, RFC 8225, RFC 8588) and what a carrier says about them. Nothing
 * is verified, and nothing is fetched: an attacker chooses the URL of the certificate. Takes linear time. Pure.
 */

type Headers = Pick<ParsedSipMessage, 'headers'>

/** The claims of one Identity header. */
export interface ClaimedIdentity {
  /** The captured token, for comparing headers. */
  token: string
  /** `shaken`, `div`, `rcd`, or another type in lower case. */
  type: string
  /** True if the token contains only a signature, because the header fields repeat its claims (RFC 8225 §7). */
  isCompact: boolean
  /** False if the token cannot be decoded. */
  isReadable: boolean
  attestation: 'A' | 'B' | 'C' | undefined
  /** Identifier of the origin, for tracing a call back. */
  origination: string | undefined
  /** Seconds since the Unix epoch. */
  issuedAt: number | undefined
  certificateHost: string | undefined
  /** Calling and called numbers at the time of signing. */
  calling: string | undefined
  called: readonly string[]
  /** The number that diverted the call (RFC 8946). */
  diverted: string | undefined
  /** Name of the caller, and reason of the call (RFC 9795). */
  callerName: string | undefined
  callReason: string | undefined
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Decodes base64 to bytes. A loop is several times faster than `Uint8Array.from`, and the intake decodes each INVITE. */
const decodeBase64 = (text: string): Uint8Array => {
  const binary = atob(text)
  const bytes = new Uint8Array(binary.length)
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
  return bytes
}

/** Decodes a part of a token. Returns undefined if it is not base64url, not UTF-8, or not JSON. */
const decodePart = (part: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(utf8.decode(decodeBase64(part.replaceAll('-', '+').replaceAll('_', '/'))))
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? asRecord(value) : undefined
  } catch {
    return undefined
  }
}

const attestations = ['A', 'B', 'C'] as const

const textOrNone = (value: unknown): string | undefined => cleanText(asString(value)) || undefined

/** Returns the host of an https URL, or undefined. */
const parseHttpsHost = (url: string): string | undefined =>
  /^https:\/\/([a-z0-9.-]{1,253})(?=[:/?#>]|$)/i.exec(url)?.[1]?.toLowerCase()

/** Returns the number or the URI of an identity claim. */
const parseName = (value: unknown): string | undefined =>
  textOrNone(asRecord(value)['tn']) ?? textOrNone(asRecord(value)['uri'])

/** The most called numbers of one token. */
const maxCalled = 20

const parseIdentity = (value: string): ClaimedIdentity => {
  const token = (value.split(';', 1)[0] ?? '').trim()
  const [first = '', second = '', signature = ''] = token.split('.', 4)
  const isCompact = first === '' && second === '' && signature !== ''
  const header = decodePart(first)
  const claims = header === undefined ? undefined : decodePart(second)
  const type = scanParameter(value, 'ppt') ?? asString(header?.['ppt'])
  const { attest, origid, iat, orig, dest, div, rcd, crn } = claims ?? {}
  const called = ['tn', 'uri'].flatMap((key) => asArray(asRecord(dest)[key]))
  return {
    token,
    type: cleanText(type).slice(0, 32).toLowerCase(),
    isCompact,
    isReadable: header !== undefined && claims !== undefined,
    attestation: attestations.find((level) => level === attest),
    origination: /^[\x21-\x7e]{1,128}$/.exec(asString(origid))?.[0],
    issuedAt: typeof iat === 'number' && iat > 0 && iat < 8e9 ? iat : undefined,
    certificateHost:
      parseHttpsHost((scanParameter(value, 'info') ?? '').replace(/^</, '')) ??
      parseHttpsHost(asString(header?.['x5u'])),
    calling: parseName(orig),
    called: called.slice(0, maxCalled).flatMap((one) => textOrNone(one) ?? []),
    diverted: parseName(div),
    callerName: textOrNone(asRecord(rcd)['nam']),
    callReason: textOrNone(crn),
  }
}

/** The number of Identity headers that are decoded per message. */
const maxIdentities = 10

/** Decodes the Identity headers of a request. Several are normal: one for each type, and one for each diversion. */
export const parseIdentities = (message: Headers): ClaimedIdentity[] =>
  headersNamed(message, 'identity')
    .flatMap(splitValues)
    .filter((value) => value.includes('.'))
    .slice(0, maxIdentities)
    .map(parseIdentity)

/** Returns the digits of a telephone number without + and separators, or undefined if it is another name. */
const toDigits = (name: string): string | undefined => {
  const digits = name.replace(/[+().\- ]/g, '')
  return /^\d{1,20}$/.test(digits) ? digits : undefined
}

/** Returns the number in the URI of an address, or undefined without a number. */
const numberIn = (address: string): string | undefined => {
  const uri = firstUriIn(address).trim()
  const user = uri.slice(uri.indexOf(':') + 1).split(/[@;]/, 1)[0] ?? ''
  return toDigits(user)
}

/** Shorter texts are numbers of an own network, which the end of another number contains by chance. */
const minNationalDigits = 7

/**
 * Returns whether a number of the request is the signed one, with or without its calling code. Signers add the code (RFC
 * 8224 §8.3).
 */
const isSigned = (written: string, signed: string): boolean => {
  // The prefix of international calls in North America and in most other countries.
  const isInternational = /^(?:011|00)/.test(written) && signed === written.replace(/^(?:011|00)/, '')
  const national = written.replace(/^0/, '')
  return written === signed || isInternational || (national.length >= minNationalDigits && signed.endsWith(national))
}

/**
 * Returns which numbers of the request differ from the signed ones. Undefined for a side without a number in the request
 * or in the token.
 */
export const compareNumbers = (message: Headers, { calling, called }: Pick<ClaimedIdentity, 'calling' | 'called'>) => {
  const numbers = (...names: readonly string[]) =>
    names
      .flatMap((name) => headersNamed(message, name).flatMap(splitValues))
      .flatMap((address) => numberIn(address) ?? [])
  const [callers, callees] = [numbers('from', 'p-asserted-identity'), numbers('to')]
  const signedCalling = toDigits(calling ?? '')
  const signedCalled = called.flatMap((name) => toDigits(name) ?? [])
  return {
    isCallingSigned:
      signedCalling === undefined || callers.length === 0
        ? undefined
        : callers.some((one) => isSigned(one, signedCalling)),
    isCalledSigned:
      signedCalled.length === 0 || callees.length === 0
        ? undefined
        : callees.some((one) => signedCalled.some((signed) => isSigned(one, signed))),
  }
}

/** The statement of a sender about the verification of the calling number. Only a carrier's own message proves its word. */
export interface StatedVerification {
  /** The header that says it. */
  header: string
  /** Undefined if the value is not known. `text` is the value. */
  result: 'passed' | 'failed' | 'none' | undefined
  attestation: 'A' | 'B' | 'C' | undefined
  text: string
}

const results = { passed: 'passed', failed: 'failed' } as const

/** Parses `TN-Validation-Passed-A` (3GPP TS 24.229), with or without the level. */
const parseResult = (header: string, text: string): StatedVerification => {
  const [, no, result = '', level] = /^(no-)?tn-validation(?:-(passed|failed))?(?:-([abc]))?$/i.exec(text) ?? []
  const outcome = result.toLowerCase()
  return {
    header,
    text: cleanText(text).slice(0, 64),
    result: no !== undefined ? 'none' : outcome === 'passed' || outcome === 'failed' ? results[outcome] : undefined,
    attestation: attestations.find((one) => one === level?.toUpperCase()),
  }
}

/** Returns the parameter `verstat` of an address, inside or outside of its URI. Quoted names are not parameters. */
const verstatIn = (address: string): string | undefined => {
  const uri = firstUriIn(address)
  const user = uri.split('@', 1)[0] ?? ''
  return (
    scanParameter(user.slice(Math.max(user.indexOf(';'), 0)), 'verstat') ??
    scanParameter(uri, 'verstat') ??
    scanParameter(scanAddressParameters(address), 'verstat')
  )
}

/** Returns what the sender of a request says about the verification of the calling number. */
export const parseStatedVerifications = (message: Headers): StatedVerification[] => {
  const addresses = [
    ['P-Asserted-Identity', headersNamed(message, 'p-asserted-identity').flatMap(splitValues)],
    ['From', headersNamed(message, 'from')],
  ] as const
  const parameters = addresses.flatMap(([header, values]) =>
    values.flatMap((address) => {
      const text = verstatIn(address)
      return text === undefined ? [] : [parseResult(header, text)]
    }),
  )
  const headers = ['X-Twilio-VerStat', 'X-Plivo-Stir-Verification'].flatMap((header) => {
    const text = getHeader(message, header.toLowerCase()) ?? ''
    return text === '' ? [] : [parseResult(header, text)]
  })
  return [...parameters, ...headers]
}
