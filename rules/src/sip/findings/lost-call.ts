import type { ParsedArrow } from '../ladder.ts'
import {
  describePartyBriefly,
  getStatus,
  isAnswered,
  isInDialog,
  type SipCall,
  type SipTransaction,
} from '../transactions.ts'
import { isSessionChange, nameRequest, type SipEnding, sentence } from './rule.ts'

/** Facts about a side that no longer knew an answered call: it responded with 481 (RFC 3261 §12.2.1.2, §15.1.2). Pure. */

const doesNotExist = 481

const compareLogs =
  'It can have ended the call before with a BYE that was not captured, or have restarted. Look for the Call-ID in its log.'

/** Returns whether a request of the dialog that decided the call was refused because the other side did not know it. */
const isUnknown = ({ last }: SipCall, { request, final }: SipTransaction): boolean =>
  last?.final !== undefined &&
  isAnswered(last) &&
  request.id > last.final.id &&
  isInDialog(request, last.final) &&
  getStatus(final) === doesNotExist

/** Returns whether two requests are the same on different hops, or repeated in another transaction. */
export const isSameRequest = ({ message: one }: ParsedArrow, { message: other }: ParsedArrow): boolean =>
  one.method === other.method && one.number === other.number && one.fromTag === other.fromTag

/** Returns whether a host passed on a request, and the 481 as well, so that the finding is about the next hop. */
const isPassedOn = ({ transactions }: SipCall, { request }: SipTransaction): boolean =>
  transactions.some(
    (one) =>
      one.request.from === request.to && isSameRequest(one.request, request) && getStatus(one.final) === doesNotExist,
  )

/**
 * Returns whether a BYE shows for the first time that the other side no longer knew the call. One that follows a refused
 * change of the session only repeats what that showed.
 */
export const isLostAtEnd = (call: SipCall, bye: SipTransaction): boolean =>
  isUnknown(call, bye) &&
  !isPassedOn(call, bye) &&
  !call.transactions.some(
    (one) => isSessionChange(one.request.message.method) && one.request.id < bye.request.id && isUnknown(call, one),
  )

/** Returns how a call ended of which the other side said that it does not know it. */
export const describeLostCall = (call: SipCall, transaction: SipTransaction): SipEnding | undefined => {
  const { request, final } = transaction
  const { method } = request.message
  if (final === undefined || !isUnknown(call, transaction)) return undefined
  const other = describePartyBriefly(call, final.from)
  if (method === 'BYE')
    return {
      text: `${sentence(describePartyBriefly(call, request.from))} hung up, and ${other} no longer knew the call.`,
      advice: compareLogs,
    }
  return isSessionChange(method)
    ? {
        text: `${sentence(other)} no longer knew the call: it responded to the ${nameRequest(method)} with ${final.title}.`,
        advice: compareLogs,
      }
    : undefined
}
