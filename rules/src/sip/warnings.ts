import type { ParsedSipMessage } from './parser.ts'
import { listWarningCodes } from './reasons.ts'
import type { Refusal, Responder } from './refused-call.ts'

/** Explains refusals by the codes of their Warning headers (RFC 3261 §20.43, RFC 5630). Pure. */

const otherFamily =
  'Offer media with an address of the other family: IPv4 if the offer has IPv6, and the other way around.'

/** A problem of a description of media, apart from its codecs. */
interface MediaProblem {
  /** Continues `because of`. */
  name: string
  advice: string
}

const mediaProblems: ReadonlyMap<number, MediaProblem> = new Map([
  [300, { name: 'their network protocol', advice: otherFamily }],
  [301, { name: 'the format of their address', advice: otherFamily }],
  [
    302,
    {
      name: 'their transport protocol',
      advice: 'Compare the offered transport, with or without encryption, with what it supports.',
    },
  ],
  [370, { name: 'their bandwidth', advice: 'Offer media that need less bandwidth.' }],
])

/** Statuses that refuse the description of media (RFC 3261 §21.4.26, §21.6.4). */
const mediaRefusals = new Set([488, 606])

/** A warning of another kind. */
const miscellaneous = 399

/** Returns the code that all warnings of a response agree on, apart from those of no kind. */
const findAgreedCode = (response: ParsedSipMessage): number | undefined => {
  const codes = new Set(listWarningCodes(response).filter((code) => code !== miscellaneous))
  const [code] = codes
  return codes.size === 1 ? code : undefined
}

/** Returns the problem of the offered media that the warnings of a refusal name, if they agree. */
export const findMediaProblem = (response: ParsedSipMessage): MediaProblem | undefined =>
  mediaRefusals.has(response.status ?? 0) ? mediaProblems.get(findAgreedCode(response) ?? 0) : undefined

/** Refusals because of the URI scheme (RFC 5630). A response to a call of the other scheme says so with 480. */
const schemes: ReadonlyMap<number, Readonly<Record<'name' | 'carrier' | 'others', string>>> = new Map([
  [
    380,
    {
      name: 'accepts no calls with the scheme SIPS',
      carrier: 'Turn off the SIPS scheme in the outbound gateway of the carrier.',
      others: 'Call a URI with the scheme sip.',
    },
  ],
  [
    381,
    {
      name: 'requires the scheme SIPS',
      carrier: 'Choose TLS with the SIPS scheme in the outbound gateway of the carrier.',
      others: 'Call a URI with the scheme sips, over TLS.',
    },
  ],
])

/** Returns what the warnings of a refusal say beyond its status. */
export const describeWarning = (
  response: ParsedSipMessage,
  { hop, name, kind }: Responder,
): Partial<Refusal> | undefined => {
  const host = hop === 'carrier' || hop === 'client' ? name : 'The host that sent the response'
  const problem = findMediaProblem(response)
  if (problem !== undefined) {
    const rejected = `did not accept the offered media because of ${problem.name}`
    return {
      explanation: `it ${rejected}`,
      title: `${host} ${rejected}`,
      advice: problem.advice,
      source: 'RFC 3261 §20.43',
    }
  }
  const scheme = response.status === 480 ? schemes.get(findAgreedCode(response) ?? 0) : undefined
  if (scheme === undefined) return undefined
  return {
    explanation: `it ${scheme.name}`,
    title: `${host} ${scheme.name}`,
    advice: kind === 'carrier' ? scheme.carrier : scheme.others,
    isOrdinary: false,
    severity: 'bad',
    source: 'RFC 5630',
  }
}
