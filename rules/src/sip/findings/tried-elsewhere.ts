import { secondsText } from '../ladder.ts'
import { explainRefusal } from '../refusal.ts'
import { toRefusedCall } from '../refused-call.ts'
import {
  describeParty,
  findForwards,
  getStatus,
  isAnswered,
  isChallenged,
  lastSeenAt,
  requestsNamed,
  type SipCall,
  type SipTransaction,
} from '../transactions.ts'
import { isSameRequest } from './lost-call.ts'
import { findBegin } from './outcome.ts'
import { arrowIds, type SipFinding, type SipRule, sentence, times } from './rule.ts'

/** Findings about the targets of a call that did not decide it. Pure. */

/** Says what became of an attempt that did not decide the call. Undefined if it only asked for credentials. */
const describeFailedAttempt = (
  call: SipCall,
  attempt: SipTransaction,
  decisive: SipTransaction,
): string | undefined => {
  const { request, answers, final } = attempt
  const party = describeParty(call, request.to)
  const status = getStatus(final)
  const isEarlier = request.id < decisive.request.id
  const tried = isEarlier ? 'was tried before' : 'was tried, too'
  if (final === undefined) {
    const next = answers.at(-1)
    const seconds = secondsText(Math.max(0, lastSeenAt(request) - request.at))
    return next === undefined
      ? `${party} ${tried}, and no response was captured (sent ${times(request.again.length + 1)} in ${seconds}).`
      : `${party} ${tried}: ${next.title}, without a final response.`
  }
  if (isChallenged(attempt)) return undefined
  const isOver = findBegin(call, decisive).id > request.id
  if (isAnswered(attempt) && isOver)
    return `${party} had answered an earlier call with this Call-ID, which was hung up before.`
  if (isAnswered(attempt)) return `${party} answered, too, and was hung up: another device had the call.`
  if (status < 400) return `${party} redirected the call (${final.title}).`
  if (status === 487 && requestsNamed(call, 'CANCEL').some((one) => one.request.to === request.to))
    return `${party} was called, too, and canceled when the call went elsewhere.`
  return `${party} ${tried}: ${final.title} (${explainRefusal(toRefusedCall(call, attempt, final)).explanation}).`
}

/**
 * Returns the forward that is a hop of the call itself: it was answered with the tag of the dialog. A server that writes
 * tags of its own (B2BUA) passes on the answer that it keeps.
 */
const findNextHop = (
  { request, final }: SipTransaction,
  forwards: readonly SipTransaction[],
): SipTransaction | undefined => {
  const answeredOnes = forwards.filter(isAnswered)
  return (
    answeredOnes.find((one) => one.final?.message.toTag === final?.message.toTag) ??
    answeredOnes.findLast((one) => one.request.message.fromTag !== request.message.fromTag)
  )
}

/**
 * Reports the targets that were tried in addition to the one that decided the call: before it, one after the other, or
 * at the same time. They are no error of a call that was answered. RFC 3261 §8.1.3.4, §16.6, §16.7, RFC 3263 §4.3.
 */
export const triedElsewhere: SipRule = (call) => {
  const { last, attempts } = call
  if (last === undefined) return []
  const describe = (attempt: SipTransaction, source: string, decisive = last): SipFinding[] => {
    const text = describeFailedAttempt(call, attempt, decisive)
    if (text === undefined) return []
    const { request, final } = attempt
    return [{ severity: 'info', text: sentence(text), where: request.to, arrows: arrowIds(request, final), source }]
  }
  // Each attempt has a branch of its own. The same one at another address was captured on both sides of a NAT.
  const isSeenTwice = ({ request }: SipTransaction): boolean =>
    isSameRequest(request, last.request) && request.message.branches[0] === last.request.message.branches[0]
  const others = attempts.filter((one) => one !== last && !isSeenTwice(one))
  const forwards = isAnswered(last) ? findForwards(call, last) : []
  const hop = findNextHop(last, forwards)
  const forks = forwards.filter((one) => one !== hop)
  return [
    ...others.flatMap((one) => describe(one, 'RFC 3261 §8.1.3.4, RFC 3263 §4.3')),
    ...forks.flatMap((one) => describe(one, 'RFC 3261 §16.7', hop ?? one)),
  ]
}
