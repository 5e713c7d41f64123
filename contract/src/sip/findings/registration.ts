import { type SipTransaction, who } from '../transactions.ts'
import { arrowIds, sentence, type SipRule, times } from './rule.ts'
import type { ParsedArrow } from '../ladder.ts'
import { isAnswered, requestsNamed } from './outcome.ts'
import { scanParameter } from '../scan.ts'
import { getHeader, headersNamed } from '../parser.ts'

/** How registrations went. Pure. */

/** For how many seconds a registrar takes a contact, as it answers; undefined where it does not say (RFC 3261 §10.3, step 8). */
const takenFor = ({ message }: ParsedArrow): number | undefined => {
  const told = [
    ...headersNamed(message, 'contact').map((contact) => scanParameter(contact, 'expires')),
    getHeader(message, 'expires'),
  ]
  const seconds = told.flatMap((text) => (/^\d{1,9}$/.test(text ?? '') ? [Number(text)] : []))
  return seconds.length === 0 ? undefined : Math.max(...seconds)
}

/** It asks for no time at all: it takes its contacts back (RFC 3261 §10.2.2). */
const isLeaving = ({ request }: SipTransaction): boolean =>
  takenFor(request) === 0 || getHeader(request.message, 'expires') === '0'

/** That a registrar took a registration, the last time that it did, and for how long. RFC 3261 §10.3. */
export const registered: SipRule = (call) => {
  const taken = requestsNamed(call, 'REGISTER').filter(isAnswered)
  const last = taken.at(-1)
  if (last?.final === undefined) return []
  const seconds = takenFor(last.final)
  const until = seconds === undefined ? '' : `, for ${seconds} s`
  const often = taken.length === 1 ? '' : ` It was taken ${times(taken.length)} in all.`
  const [registrar, asker] = [who(call, last.request.to), who(call, last.request.from)]
  return [
    {
      severity: isLeaving(last) ? 'info' : 'good',
      text: isLeaving(last)
        ? `${sentence(asker)} took its registration with ${registrar} back (${last.final.title}).`
        : `${sentence(registrar)} took the registration of ${asker} (${last.final.title}${until}).${often}`,
      arrows: arrowIds(last.request, last.final),
      source: `RFC 3261 §10.${isLeaving(last) ? '2.2' : '3'}`,
    },
  ]
}
