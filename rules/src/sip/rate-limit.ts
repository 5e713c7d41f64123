import type { ParsedSipMessage } from './parser.ts'
import { findProviderError, getPhrase, listWarnings, parseReasons } from './reasons.ts'
import type { Refusal, Responder } from './refused-call.ts'

/**
 * Recognizes refusals because of the rate or the number of calls, or of a protection against fraud. No status is registered
 * for them, so that only texts say it. Pure.
 */

interface Limit {
  explanation: string
  /** Continues `because of` and `names`. */
  name: string
  /** Returns whether a text in lower case, without hyphens and underscores, names the limit. */
  isNamed: (text: string) => boolean
  advice: { carrier: string; others: string }
}

const ofRate = /\bcalls? per second\b|\brate limit(?:s|ed|ing)?\b|\bthrottl(?:ed|ing)\b|\btoo many requests\b/

/** CPS is an ordinary abbreviation, so it counts only beside a word for a limit. */
const besideCps = /\b(?:limits?|limited|exceed(?:s|ed|ing)?|max|maximum|reached|over|too high)\b/

const ofNumber =
  /\b(?:limit of calls|calls? limit|channels? limit|max(?:imum)? (?:number of )?channels|(?:concurrent|simultaneous) calls?)\b/

/** Limits of simultaneous calls are also named without a refusal, so that they count only beside a word for an excess. */
const besideNumber = /\b(?:exceed(?:s|ed|ing)?|reached|too many|over)\b/

/** Returns what a response states in its phrase, its Reason and Warning headers, and the error of a provider. */
const listStatements = (response: ParsedSipMessage): string[] =>
  [
    getPhrase(response),
    findProviderError(response) ?? '',
    ...parseReasons(response).map(({ text = '' }) => text),
    ...listWarnings(response),
  ].map((text) => text.toLowerCase().replace(/[-_]/g, ' '))

/** Returns a function that says what is known about a refusal because of a limit, or undefined if no text names it. */
const describe =
  (limit: Limit) =>
  (response: ParsedSipMessage, { hop, name, kind }: Responder): Partial<Refusal> | undefined => {
    if (!listStatements(response).some(limit.isNamed)) return undefined
    const isHostNamed = hop === 'carrier' || hop === 'client'
    return {
      explanation: limit.explanation,
      title: isHostNamed ? `${name} rejected the call because of ${limit.name}` : `The response names ${limit.name}`,
      ...(isHostNamed ? {} : { side: 'unknown' }),
      advice: kind === 'carrier' ? limit.advice.carrier : limit.advice.others,
      isOrdinary: false,
      severity: 'bad',
    }
  }

export const describeRateLimit = describe({
  explanation: 'it limits how fast it accepts calls',
  name: 'a rate limit',
  isNamed: (text) => ofRate.test(text) || (/\bcps\b/.test(text) && besideCps.test(text)),
  advice: {
    carrier: 'Spread the calls over more time, or ask the carrier for a higher limit of calls per second.',
    others:
      'Spread the calls over more time, or ask the operator of the host that sent this response for a higher limit.',
  },
})

export const describeCallLimit = describe({
  explanation: 'a limit of simultaneous calls was reached',
  name: 'a limit of simultaneous calls',
  isNamed: (text) => ofNumber.test(text) && besideNumber.test(text),
  advice: {
    carrier: 'Ask the carrier for more channels, or add another carrier for this destination to the outbound routing.',
    others: 'Ask the operator of the host that sent this response for a higher limit.',
  },
})

/** A text about fraud counts only beside a word for a decision. */
const besideFraud =
  /\b(?:block(?:s|ed|ing)?|filter(?:s|ed|ing)?|protection|prevention|rejected|refused|denied|suspected|detected)\b/

export const describeFraudFilter = describe({
  explanation: 'its protection against fraud blocked the call',
  name: 'protection against fraud',
  isNamed: (text) => /\bfraud(?:ulent)?\b/.test(text) && besideFraud.test(text),
  advice: {
    carrier: 'If the call is wanted, ask the carrier to allow this destination and this calling number.',
    others: 'If the call is wanted, ask the operator of the host that sent this response to allow it.',
  },
})
