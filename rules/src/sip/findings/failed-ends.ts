import type { ParsedArrow } from '../ladder.ts'
import { formatReasons, parseReasons, type Reason } from '../reasons.ts'
import { isInDialog, type SipCall, type SipTransaction } from '../transactions.ts'
import { isSessionChange, nameRequest, type SipEnding } from './rule.ts'

/** Failures that ended an answered call, according to the side that hung up. Pure. */

/** Microseconds after which a request without a response has failed: 64 · T1 (RFC 3261 §17.1.1.2). */
const requestTimeout = 32_000_000
/** Copies of a request are captured a little later than it was sent, and the BYE follows at once. */
const tolerance = 2_000_000

/**
 * Returns a change or refresh of the session that the side that hung up had given up at that time, because no response
 * came. It then has to hang up (RFC 3261 §14.1, RFC 4028 §10).
 */
const findGivenUp = ({ transactions }: SipCall, bye: ParsedArrow): SipTransaction | undefined =>
  transactions.find(
    ({ request, answers, final }) =>
      isSessionChange(request.message.method) &&
      final === undefined &&
      answers.length === 0 &&
      request.again.length > 0 &&
      request.from === bye.from &&
      isInDialog(request, bye) &&
      request.message.fromTag === bye.message.fromTag &&
      Math.abs(bye.at - request.at - requestTimeout) <= tolerance,
  )

/** The first and the last cause of Q.850 in the classes from "resource unavailable" to "protocol error" (§2.2.7). */
const failures = { first: 34, last: 111 }
const destinationOutOfOrder = 27
const statusTimeout = 408

/** Returns whether a reason of the side that hung up names a failure of a network, of a server, or of the protocol. */
const isFailure = ({ protocol, cause = 0 }: Reason): boolean =>
  protocol === 'SIP'
    ? cause === statusTimeout || (cause >= 500 && cause < 600)
    : protocol === 'Q.850' && (cause === destinationOutOfOrder || (cause >= failures.first && cause <= failures.last))

/**
 * Describes the end of a call by a failure.
 * @param who begins a sentence about the side that hung up
 */
export const describeFailedEnd = (call: SipCall, who: string, bye: ParsedArrow): SipEnding | undefined => {
  const givenUp = findGivenUp(call, bye)
  if (givenUp !== undefined)
    return {
      text: `${who} hung up after its ${nameRequest(givenUp.request.message.method)} had got no response.`,
      advice:
        'Check that requests within the call reach the other side: the address in its Contact header, the proxies of the route, and a NAT between them.',
    }
  const reasons = parseReasons(bye.message).filter(isFailure)
  return reasons.length === 0
    ? undefined
    : {
        text: `${who} hung up because of a failure.${formatReasons(reasons, { headers: [] })}`,
        advice: 'Look for the Call-ID in the log of the side that hung up, or ask its operator.',
      }
}
