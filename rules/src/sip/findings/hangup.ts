import { elapsedText, type ParsedArrow, parsedArrows } from '../ladder.ts'
import { getHeader } from '../parser.ts'
import { cleanText, formatReasonHeaders, parseReasons, type Reason } from '../reasons.ts'
import {
  describeParty,
  getStatus,
  isAnswered,
  isInDialog,
  requestsNamed,
  type SipCall,
  type SipTransaction,
} from '../transactions.ts'
import { describeFailedEnd } from './failed-ends.ts'
import { arrowIds, isSessionChange, type SipEnding, type SipRule, sentence } from './rule.ts'

/** Findings about the end of an answered call. Pure. */

/**
 * Returns whether the capture may lack a refresh of the session before a BYE: the response to one, or a request of the
 * side that hung up, whose CSeq numbers have a gap (RFC 3261 §12.2.1.1).
 */
const isRefreshMissing = ({ transactions }: SipCall, bye: ParsedArrow): boolean => {
  const before = transactions.filter(({ request }) => request.id < bye.id)
  const own = before.filter(({ request }) => request.message.fromTag === bye.message.fromTag)
  const latest = Math.max(...own.map(({ request }) => request.message.number))
  return (
    (own.length > 0 && bye.message.number > latest + 1) ||
    before.some(
      ({ request: { message }, final }) =>
        final === undefined && message.toTag !== '' && isSessionChange(message.method),
    )
  )
}

const sessionExpires = /^\s*(\d+)(?:.*;\s*refresher\s*=\s*(ua[cs]))?/i

/**
 * Describes a session timer that was not refreshed when a side hung up: the side that waits for a refresh does so within
 * the last 32 s of the interval, or the last third if that is shorter. The side that refreshes has no reason to. RFC 4028
 * §10.
 */
const findSessionEnd = (call: SipCall, bye: ParsedArrow): { interval: number; refresh: ParsedArrow } | undefined => {
  if (isRefreshMissing(call, bye)) return undefined
  // The latest response counts: an UPDATE of an early dialog precedes the answer of the INVITE (RFC 3311 §5.1).
  const [refresh] = call.transactions
    .flatMap((one) => (isSessionChange(one.request.message.method) && isAnswered(one) && one.final ? [one.final] : []))
    .filter(({ id }) => id < bye.id)
    .toSorted((a, b) => b.id - a.id)
  if (refresh === undefined) return undefined
  const [, seconds, role] = sessionExpires.exec(getHeader(refresh.message, 'session-expires') ?? '') ?? []
  const interval = Number(seconds)
  if (!(interval > 0)) return undefined
  const { fromTag, toTag } = refresh.message
  const refresher = role?.toLowerCase() === 'uac' ? fromTag : role && toTag
  const passed = (bye.at - refresh.at) / 1e6
  const isAtEnd = passed >= interval - Math.min(32, interval / 3) && passed <= interval + 5
  return isAtEnd && bye.message.fromTag !== refresher ? { interval, refresh } : undefined
}

/** Requests of both sides within this time were sent before the other one arrived. */
const crossingMicroseconds = 1_000_000

/** Returns the BYEs of the dialog that decides the call, in causal order. Of a call that was not answered, all BYEs. */
export const findByes = (call: SipCall): readonly SipTransaction[] => {
  const byes = requestsNamed(call, 'BYE')
  const final = call.last?.final
  const own = final === undefined ? [] : byes.filter(({ request }) => isInDialog(request, final))
  return own.length > 0 || (final !== undefined && getStatus(final) < 300) ? own : byes
}

/** Returns the BYE with which the caller ended a call that was not answered yet (RFC 3261 §15). */
export const findEarlyBye = (call: SipCall): ParsedArrow | undefined => {
  const { last } = call
  // Without the final response, the BYE can be that of an answered call.
  if (last?.final === undefined || isAnswered(last)) return undefined
  const { request, final } = last
  return requestsNamed(call, 'BYE').find(
    (bye) => bye.request.message.fromTag === request.message.fromTag && bye.request.id < final.id,
  )?.request
}

/**
 * Causes that name no failure: normal call clearing, non-selected user clearing, normal, unspecified, and interworking,
 * unspecified (ITU-T Q.850 §2.2). Some programs write 0 for no cause.
 */
const normalCauses = new Set([0, 16, 26, 31, 127])

/** The caller gave up on another party (RFC 3261 §21.4.25). */
const requestTerminated = 487

/**
 * Returns whether a reason names no failure. A success and a redirect end a call that went elsewhere. Protocols other than
 * Q.850 and SIP are not known (RFC 3326 §2).
 */
const isNormalReason = ({ protocol, cause }: Reason): boolean => {
  if (cause === undefined) return true
  if (protocol === 'Q.850') return normalCauses.has(cause)
  return protocol !== 'SIP' || (cause >= 200 && cause < 400) || cause === requestTerminated
}

/** Words by which programs say that a session timer expired: `Session timeout`, `session-timer expired`. */
const sessionExpiry = /\bsession[\W_]{1,3}(?:timer|timeout|expire[sd]?|expiration)\b/i

const checkRefresh =
  'Check that the side that refreshes the session sends its re-INVITE or UPDATE in time, and that it arrives. The SIP messages show which side that is.'

/** Describes the end of a session that was not refreshed, by its timer, or by the reason of the BYE alone. */
const describeSessionEnd = (who: string, bye: ParsedArrow, interval: number | undefined): SipEnding | undefined => {
  if (interval !== undefined)
    return {
      text: `${who} hung up when the session timer of ${interval} s was running out.`,
      advice: checkRefresh,
    }
  const reason = parseReasons(bye.message).find((one) => !isNormalReason(one) && sessionExpiry.test(one.text ?? ''))
  return (
    reason && { text: `${who} hung up, and gave the reason “${cleanText(reason.text ?? '')}”.`, advice: checkRefresh }
  )
}

/**
 * Reports who hung up, according to the tags of the BYE, and the reason if the BYE contains one. RFC 3261 §15.1.1, RFC
 * 3326 §2.
 */
export const hungUp: SipRule = (call) => {
  const { last, caller } = call
  const byes = findByes(call)
  const bye = byes[0]
  if (bye === undefined || (call.missing === undefined && findEarlyBye(call) !== undefined)) return []
  const { request } = bye
  const crossing = byes.find(
    (one) =>
      one.request.message.fromTag !== request.message.fromTag && one.request.at - request.at <= crossingMicroseconds,
  )?.request
  if (crossing !== undefined)
    return [
      {
        severity: 'info',
        text: `Both sides hung up at the same time: ${describeParty(call, request.from)} and ${describeParty(call, crossing.from)}.${formatReasonHeaders(request.message)}`,
        arrows: arrowIds(request, crossing),
        source: 'RFC 3261 §15.1.1',
      },
    ]
  const isByCaller = last !== undefined && request.message.fromTag === last.request.message.fromTag
  const side = isByCaller ? caller : call.called
  const by =
    last === undefined || side === request.from
      ? describeParty(call, request.from)
      : `${describeParty(call, request.from)}, in the name of the ${isByCaller ? 'caller' : 'called party'},`
  const after = last?.final && isAnswered(last) ? ` ${elapsedText(last.final, request)} after the answer` : ''
  const isNormal = parseReasons(request.message).every(isNormalReason)
  const session = findSessionEnd(call, request)
  const timer =
    session === undefined
      ? ''
      : ` The session timer of ${session.interval} s had not been refreshed for ${elapsedText(session.refresh, request)}: the side that waits for a refresh hangs up then (RFC 4028 §10).`
  const who = isByCaller ? 'The caller' : 'The called party'
  const ending = last && (describeSessionEnd(who, request, session?.interval) ?? describeFailedEnd(call, who, request))
  return [
    {
      severity: timer === '' && isNormal ? 'info' : 'warn',
      text: `${sentence(by)} hung up${after}.${formatReasonHeaders(request.message)}${timer}`,
      ...(ending && { ending }),
      where: request.from,
      arrows: arrowIds(request),
      source: 'RFC 3261 §15.1.1',
    },
  ]
}

/** Reports a call without a captured end. RFC 3261 §15. */
export const openEnded: SipRule = (call) => {
  const { last } = call
  if (last?.final === undefined || !isAnswered(last) || findByes(call).length > 0) return []
  const response = parsedArrows(call.ladder).find(({ message }) => message.method === 'BYE')
  if (response !== undefined)
    return [
      {
        severity: 'info',
        text: `The call was hung up: ${describeParty(call, response.from)} responded to a BYE with ${response.title}. The BYE was not captured.`,
        arrows: arrowIds(response),
        source: 'RFC 3261 §15',
      },
    ]
  return [
    {
      severity: 'info',
      text: 'No BYE was captured: the call is still in progress, or its end did not pass a capture point.',
      arrows: arrowIds(last.final),
      source: 'RFC 3261 §15',
    },
  ]
}
