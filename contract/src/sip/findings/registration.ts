import { type SipTransaction, describeParty } from '../transactions.ts'
import { arrowIds, sentence, type SipRule, times } from './rule.ts'
import type { ParsedArrow } from '../ladder.ts'
import { isAnswered, requestsNamed } from './outcome.ts'
import { scanParameter } from '../scan.ts'
import { getHeader, headersNamed } from '../parser.ts'

/** Findings about registrations. Pure. */

/**
 * Returns the seconds for which a registrar accepts a contact, or undefined if the message does not contain them (RFC
 * 3261 §10.3, step 8).
 */
const getExpirySeconds = ({ message }: ParsedArrow): number | undefined => {
  const expiryValues = [
    ...headersNamed(message, 'contact').map((contact) => scanParameter(contact, 'expires')),
    getHeader(message, 'expires'),
  ]
  const seconds = expiryValues.flatMap((text) => (/^\d{1,9}$/.test(text ?? '') ? [Number(text)] : []))
  return seconds.length === 0 ? undefined : Math.max(...seconds)
}

/** Returns whether the REGISTER removes its contacts, because its expiry is 0 (RFC 3261 §10.2.2). */
const isUnregistering = ({ request }: SipTransaction): boolean =>
  getExpirySeconds(request) === 0 || getHeader(request.message, 'expires') === '0'

/** Reports the last successful registration and its duration. RFC 3261 §10.3. */
export const registered: SipRule = (call) => {
  const taken = requestsNamed(call, 'REGISTER').filter(isAnswered)
  const last = taken.at(-1)
  if (last?.final === undefined) return []
  const seconds = getExpirySeconds(last.final)
  const until = seconds === undefined ? '' : `, for ${seconds} s`
  const often = taken.length === 1 ? '' : ` It was accepted ${times(taken.length)} in total.`
  const [registrar, asker] = [describeParty(call, last.request.to), describeParty(call, last.request.from)]
  return [
    {
      severity: isUnregistering(last) ? 'info' : 'good',
      text: isUnregistering(last)
        ? `${sentence(asker)} removed its registration with ${registrar} (${last.final.title}).`
        : `${sentence(registrar)} accepted the registration of ${asker} (${last.final.title}${until}).${often}`,
      arrows: arrowIds(last.request, last.final),
      source: `RFC 3261 §10.${isUnregistering(last) ? '2.2' : '3'}`,
    },
  ]
}
