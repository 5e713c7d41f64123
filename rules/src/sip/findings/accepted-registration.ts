import type { AcceptedRegistration } from '../../routing/registration.ts'
import type { ParsedArrow } from '../ladder.ts'
import { getHeader, headersNamed } from '../parser.ts'
import { firstUriIn, scanParameter, splitValues } from '../scan.ts'
import { describeParty, isAnswered, requestsNamed, type SipCall, type SipTransaction } from '../transactions.ts'
import { arrowIds, type SipRule, sentence, times } from './rule.ts'

/** Findings about registrations. Pure. */

const contactsIn = ({ message }: ParsedArrow): string[] => headersNamed(message, 'contact').flatMap(splitValues)

/** The part of a Contact that identifies a binding: user, host, and port, without parameters (RFC 3261 §10.3, step 7). */
const getBinding = (contact: string): string => (firstUriIn(contact).trim().split(/[;?]/, 1)[0] ?? '').toLowerCase()

const getUser = (binding: string): string => binding.split('@', 1)[0] ?? ''

const toSeconds = (text: string | undefined): number | undefined =>
  /^\d{1,9}$/.test(text ?? '') ? Number(text) : undefined

/**
 * Returns the seconds for which a message asks for, or accepts, a binding. A registrar lists the contacts of all devices
 * of the user (RFC 3261 §10.3, step 8), so only the one of the request counts. Undefined if it is not there.
 */
const getExpirySeconds = (request: ParsedArrow, message: ParsedArrow): number | undefined => {
  const requested = contactsIn(request)
  // A client that changes its address removes the old contact in the same request.
  const lasting = requested.filter((contact) => scanParameter(contact, 'expires') !== '0')
  const own = new Set((lasting.length > 0 ? lasting : requested).map(getBinding))
  const all = contactsIn(message)
  const bound = all.filter((contact) => own.has(getBinding(contact)))
  // A registrar can rewrite the address of a contact behind a NAT.
  const users = new Set([...own].map(getUser))
  const [contact] =
    bound.length > 0 ? bound : all.length === 1 ? all.filter((one) => users.has(getUser(getBinding(one)))) : []
  const general = toSeconds(getHeader(message.message, 'expires'))
  return (contact === undefined ? undefined : toSeconds(scanParameter(contact, 'expires'))) ?? general
}

/** Returns whether the REGISTER removes its contacts, because its expiry is 0 (RFC 3261 §10.2.2). */
const isUnregistering = ({ request }: SipTransaction): boolean =>
  getExpirySeconds(request, request) === 0 || getHeader(request.message, 'expires') === '0'

/**
 * Returns whether the registrar accepted a REGISTER, but keeps no contact of it: it may shorten the expiry, also to 0 (RFC
 * 3261 §10.3, step 7).
 */
const isDropped = (transaction: SipTransaction): boolean =>
  transaction.final !== undefined &&
  !isUnregistering(transaction) &&
  getExpirySeconds(transaction.request, transaction.final) === 0

/**
 * Returns the last REGISTER with a final response, if it was accepted and its contact was kept. A refusal before it
 * is settled (RFC 3261 §10.2.8, §22.2); a refusal after it is not.
 */
export const findAcceptedRegistration = (call: SipCall): AcceptedRegistration | undefined => {
  const last = requestsNamed(call, 'REGISTER').findLast(({ final }) => final !== undefined)
  if (last?.final === undefined || !isAnswered(last) || isUnregistering(last) || isDropped(last)) return undefined
  return {
    cseq: last.request.message.number,
    at: last.final.at / 1000,
    seconds: getExpirySeconds(last.request, last.final),
  }
}

/** Returns whether a REGISTER only asks for the contacts of a user (RFC 3261 §10.2.3). */
const isQuery = ({ request }: SipTransaction): boolean => contactsIn(request).length === 0

/** Reports the last successful registration and its duration. RFC 3261 §10.3. */
export const registered: SipRule = (call) => {
  const taken = requestsNamed(call, 'REGISTER').filter((one) => isAnswered(one) && !isQuery(one))
  const last = taken.at(-1)
  if (last?.final === undefined) return []
  const seconds = getExpirySeconds(last.request, last.final)
  const until = seconds === undefined ? '' : `, for ${seconds} s`
  const often = taken.length === 1 ? '' : ` It was accepted ${times(taken.length)} in total.`
  const [registrar, asker] = [describeParty(call, last.request.to), describeParty(call, last.request.from)]
  if (isDropped(last))
    return [
      {
        severity: 'bad',
        text: `${sentence(registrar)} accepted the REGISTER of ${asker}, but with an expiry of 0 s, so it keeps no registration (${last.final.title}).`,
        where: last.request.to,
        arrows: arrowIds(last.request, last.final),
        source: 'RFC 3261 §10.3',
      },
    ]
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
