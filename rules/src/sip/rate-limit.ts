import type { ParsedSipMessage } from './parser.ts'
import { getPhrase, listWarnings, parseReasons } from './reasons.ts'
import type { Refusal, Responder } from './refused-call.ts'

/** Recognizes refusals because of the rate of calls. No status is registered for that, so that only texts say it. Pure. */

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

/** Returns whether a response says that calls come too fast, in its phrase or in its Reason or Warning headers. */
const isRateLimit = (response: ParsedSipMessage): boolean =>
  [getPhrase(response), ...parseReasons(response).map(({ text = '' }) => text), ...listWarnings(response)].some(
    namesRate,
  )

/** Returns what is known about a refusal because of the rate of calls. Undefined if the response does not say so. */
export const describeRateLimit = (
  response: ParsedSipMessage,
  { hop, name, kind }: Responder,
): Partial<Refusal> | undefined => {
  if (!isRateLimit(response)) return undefined
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
