import type { ParsedSipMessage } from './parser.ts'
import { findProviderError, getPhrase, listWarnings, parseReasons } from './reasons.ts'
import type { Refusal, Responder } from './refused-call.ts'

/**
 * Recognizes refusals because of the rate or the number of calls. No status is registered for them, so that only texts say
 * it. Pure.
 */

/** Words for limits of the rate. A limit of simultaneous calls, or of a price, is another matter. */
const ofRate: readonly RegExp[] = [
  /\bcalls? per second\b/,
  /\brate limit(?:s|ed|ing)?\b/,
  /\bthrottl(?:ed|ing)\b/,
  /\btoo many requests\b/,
]

/** CPS is an ordinary abbreviation, so it counts only beside a word for a limit. */
const ofExcess = /\b(?:limits?|limited|exceed(?:s|ed|ing)?|max|maximum|reached|over|too high)\b/

const namesRate = (text: string): boolean => {
  const plain = text.toLowerCase().replace(/[-_]/g, ' ')
  return ofRate.some((one) => one.test(plain)) || (/\bcps\b/.test(plain) && ofExcess.test(plain))
}

/** Words for limits of simultaneous calls, each of which counts only beside a word for its excess. */
const ofNumber =
  /\b(?:limit of calls|calls? limit|channels? limit|max(?:imum)? (?:number of )?channels|(?:concurrent|simultaneous) calls?(?: limit)?)\b/

const namesNumber = (text: string): boolean => {
  const plain = text.toLowerCase().replace(/[-_]/g, ' ')
  return ofNumber.test(plain) && /\b(?:exceed(?:s|ed|ing)?|reached|too many|over)\b/.test(plain)
}

/** Returns whether a response says something in its phrase, its Reason or Warning headers, or the error of a provider. */
const isStated = (response: ParsedSipMessage, says: (text: string) => boolean): boolean =>
  [
    getPhrase(response),
    findProviderError(response) ?? '',
    ...parseReasons(response).map(({ text = '' }) => text),
    ...listWarnings(response),
  ].some(says)

/** Returns what is known about a refusal because of the rate of calls. Undefined if the response does not say so. */
export const describeRateLimit = (
  response: ParsedSipMessage,
  { hop, name, kind }: Responder,
): Partial<Refusal> | undefined => {
  if (!isStated(response, namesRate)) return undefined
  const isNamed = hop === 'carrier' || hop === 'client'
  return {
    explanation: 'it limits how fast it accepts calls',
    title: isNamed ? `${name} rejected the call because of a rate limit` : 'The response names a rate limit',
    ...(isNamed ? {} : { side: 'unknown' }),
    advice:
      kind === 'carrier'
        ? 'Spread the calls over more time, or ask the carrier for a higher limit of calls per second.'
        : 'Spread the calls over more time, or ask the operator of the host that sent this response for a higher limit.',
    isOrdinary: false,
    severity: 'bad',
  }
}

/** Returns what is known about a refusal because of a limit of simultaneous calls. Undefined if the response does not say so. */
export const describeCallLimit = (
  response: ParsedSipMessage,
  { hop, name, kind }: Responder,
): Partial<Refusal> | undefined => {
  if (!isStated(response, namesNumber)) return undefined
  const isNamed = hop === 'carrier' || hop === 'client'
  return {
    explanation: 'a limit of simultaneous calls was reached',
    title: isNamed
      ? `${name} rejected the call because of a limit of simultaneous calls`
      : 'The response names a limit of simultaneous calls',
    ...(isNamed ? {} : { side: 'unknown' }),
    advice:
      kind === 'carrier'
        ? 'Ask the carrier for more channels, or add another carrier for this destination to the outbound routing.'
        : 'Ask the operator of the host that sent this response for a higher limit.',
    isOrdinary: false,
    severity: 'bad',
  }
}
