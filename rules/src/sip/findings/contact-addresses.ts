import { isPrivateAddress, isPublicAddress } from '../addresses.ts'
import { type ParsedArrow, parsedArrows } from '../ladder.ts'
import { getHeader, type ParsedSipMessage, parseUriHost } from '../parser.ts'
import type { SipCall, SipTransaction } from '../transactions.ts'

/** Tells whether the other side can reach the address that a message names in its Contact header. Pure. */

/** Says what a host has to change that names a private address to a public one. */
export const publicContact =
  'Set the public address of the host that answered, so that its Contact header names it, or let a proxy with a public address add a Record-Route header.'

export const getLaneAddress = ({ ladder }: SipCall, lane: number): string => ladder.lanes[lane]?.address ?? ''

/** Returns the host in the Contact header, or an empty text. */
export const getContactHost = (message: ParsedSipMessage): string => parseUriHost(getHeader(message, 'contact') ?? '')

/**
 * Returns the host to which the requests of a dialog go, according to an answer. Undefined if they go to a proxy that has
 * asked for them (RFC 3261 §12.1.1, §12.2.1.1).
 */
export const findRemoteTarget = (answer: ParsedSipMessage): string | undefined =>
  getHeader(answer, 'record-route') === undefined ? getContactHost(answer) : undefined

/** Returns the host in the Request-URI of a captured request. */
const getRequestHost = ({ raw }: ParsedArrow): string => parseUriHost(/^\s*\S+[ \t]+(\S+)/.exec(raw)?.[1] ?? '')

/** Returns whether a request of the other side arrived at the host that answered, in the dialog of the answer. */
const isReached = ({ ladder }: SipCall, answer: ParsedArrow): boolean =>
  parsedArrows(ladder).some(
    ({ message, from, to }) =>
      message.status === undefined &&
      from === answer.to &&
      to === answer.from &&
      message.toTag !== '' &&
      message.toTag === answer.message.toTag,
  )

/**
 * Returns the private address that an answer to a public host names as its Contact, if nothing shows that this host
 * reaches it: neither a request, nor that it called a private address, as over a private line.
 */
export const findHiddenContact = (
  call: SipCall,
  { request }: SipTransaction,
  answer: ParsedArrow,
): string | undefined => {
  const target = findRemoteTarget(answer.message) ?? ''
  const isHidden =
    isPrivateAddress(target) &&
    isPublicAddress(getLaneAddress(call, answer.to)) &&
    !isPrivateAddress(getRequestHost(request)) &&
    !isReached(call, answer)
  return isHidden ? target : undefined
}
