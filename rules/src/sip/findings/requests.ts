import { elapsedText, type ParsedArrow, parsedArrows } from '../ladder.ts'
import { formatReasonHeaders, formatRetryAfter, parseRetryAfter } from '../reasons.ts'
import { describeStatus } from '../statuses.ts'
import {
  describeParty,
  getStatus,
  isAnswered,
  isChallenged,
  isInitialInvite,
  requestsNamed,
  type SipCall,
  type SipTransaction,
} from '../transactions.ts'
import { hasCredentials } from './authentication.ts'
import { isMediaRefused } from './common-codecs.ts'
import { describeLostCall, isLostAtEnd, isSameRequest } from './lost-call.ts'
import { isFax } from './negotiation.ts'
import {
  arrowIds,
  isSessionChange,
  nameRequest,
  provenCopies,
  type SipFinding,
  type SipRule,
  sentence,
  times,
} from './rule.ts'

/** Findings about requests other than the INVITE that begins a call. Pure. */

/** Registrars reject wrong passwords with 403 to prevent guessing (RFC 3261 §10.3, step 4). */
const afterCredentials =
  ' The REGISTER contained credentials, so the password is wrong or the user is not allowed to register (§10.3).'

/** Microseconds within which two requests cross each other, with the differences of capture clocks. */
const crossingTime = 2_000_000

/** Facts from the other requests of the call about a rejected one. */
interface Course {
  /** Returns whether the same host sent a request of this method later, in the same dialog, and it succeeded. */
  succeededLater(transaction: SipTransaction): boolean
  /** Returns whether the same host repeated the request, and the capture lacks the request or its final response. */
  isFollowed(transaction: SipTransaction): boolean
  /** Returns whether the other side sent a BYE at the same time: each of them may refuse the other (RFC 3261 §15.1.2). */
  crossed(transaction: SipTransaction): boolean
  /**
   * Returns whether the dialog of a request had ended when it was refused, by a BYE or by the CANCEL of the call (RFC 5407
   * §3).
   */
  isAfterEnd(transaction: SipTransaction): boolean
}

/**
 * Returns the highest CSeq number by method and sender whose outcome is not known, because the request or its final
 * response was not captured, or which succeeded.
 */
const findOpenNumbers = ({ ladder }: SipCall): ReadonlyMap<string, number> => {
  const statuses = new Map<string, Map<number, number>>()
  for (const { message, from, to } of parsedArrows(ladder)) {
    const { method, number, fromTag, status = 0 } = message
    const sender = `${method} ${status === 0 ? from : to}`
    for (const key of [sender, `${sender} ${fromTag}`]) {
      const numbers = statuses.get(key) ?? new Map<number, number>()
      statuses.set(key, numbers.set(number, Math.max(numbers.get(number) ?? 0, status)))
    }
  }
  return new Map(
    [...statuses].map(([key, numbers]) => [
      key,
      [...numbers].reduce((highest, [number, status]) => (status < 300 ? Math.max(highest, number) : highest), 0),
    ]),
  )
}

/** Returns whether a BYE or a CANCEL ends the dialog of a request. A CANCEL names only the caller's tag. */
const isDialogEnd = ({ message: end }: ParsedArrow, { message }: ParsedArrow): boolean => {
  const tags = [message.fromTag, message.toTag]
  return tags.includes(end.fromTag) && (end.method === 'CANCEL' || tags.includes(end.toTag))
}

const toCourse = (call: SipCall): Course => {
  const { transactions } = call
  const openNumbers = findOpenNumbers(call)
  const getKeys = ({ request: { from, message } }: SipTransaction): string[] => {
    const sender = `${message.method} ${from}`
    // Outside of a dialog, a client may repeat a request with another tag.
    return [`${sender} ${message.fromTag}`, ...(message.toTag === '' ? [sender] : [])]
  }
  const successes = new Map<string, number>()
  const byes = new Map<string, ParsedArrow>()
  // A proxy cancels the other targets of a call that was answered.
  const isUnanswered = call.last === undefined || !isAnswered(call.last)
  const ends = transactions
    .map(({ request }) => request)
    .filter(({ message: { method } }) => method === 'BYE' || (method === 'CANCEL' && isUnanswered))
  for (const transaction of transactions) {
    const { request } = transaction
    if (isAnswered(transaction)) for (const key of getKeys(transaction)) successes.set(key, request.id)
    if (request.message.method === 'BYE') byes.set(`${request.from} ${request.to}`, request)
  }
  return {
    succeededLater: (transaction) =>
      getKeys(transaction).some((key) => (successes.get(key) ?? -1) > transaction.request.id),
    isFollowed: (transaction) =>
      getKeys(transaction).some((key) => (openNumbers.get(key) ?? 0) > transaction.request.message.number),
    crossed({ request }) {
      const other = byes.get(`${request.to} ${request.from}`)
      return other !== undefined && Math.abs(other.at - request.at) <= crossingTime
    },
    isAfterEnd({ request, final }) {
      if (final === undefined || request.message.toTag === '') return false
      return ends.some((end) => end.at <= final.at && !isSameRequest(end, request) && isDialogEnd(end, request))
    },
  }
}

/** Statuses that end the dialog, so that a re-INVITE does not leave the call unchanged (RFC 3261 §12.2.1.2). */
const ending = new Set([408, 481])

/** RFC 3261 §14.2 */
const overlap = { explanation: 'it had not finished an earlier change of the session', source: 'RFC 3261 §14.2' }

/** Returns whether a change was refused because another one was not finished (RFC 3261 §14.2, RFC 3311 §5.2). */
const isOverlapping = ({ request, final }: SipTransaction): boolean =>
  isSessionChange(request.message.method) &&
  getStatus(final) === 500 &&
  final !== undefined &&
  parseRetryAfter(final.message) !== undefined

/** A PRACK that matches no unconfirmed response is refused like one of another call. */
const unmatched = {
  explanation: 'it knows no response that the PRACK confirms, or does not know the call',
  source: 'RFC 3262 §3',
}

/** Returns what the refusal of a request means. */
const explain = (transaction: SipTransaction): Readonly<Record<'explanation' | 'source', string>> => {
  const status = getStatus(transaction.final)
  if (isOverlapping(transaction)) return overlap
  return transaction.request.message.method === 'PRACK' && status === 481 ? unmatched : describeStatus(status)
}

/** Returns how severe it is that a request was rejected and never succeeded. Undefined if it is normal. */
const rateRejection = (
  call: SipCall,
  course: Course,
  transaction: SipTransaction,
): SipFinding['severity'] | undefined => {
  const { last } = call
  const { request, final } = transaction
  const status = getStatus(final)
  switch (request.message.method) {
    case 'REGISTER':
      return 'bad'
    // The call is over, whether or not the other side still knows it (RFC 3261 §9.1, §15.1.2).
    case 'CANCEL':
      return undefined
    // Any response proves that the peer is there (RFC 3261 §11.2).
    case 'OPTIONS':
      return undefined
    case 'BYE':
      if (course.crossed(transaction)) return undefined
      if (isLostAtEnd(call, transaction)) return 'info'
      return ending.has(status) ? undefined : 'warn'
    case 'INVITE':
    case 'UPDATE':
      // The rules of media report what was refused.
      if (isMediaRefused(transaction)) return undefined
      return ending.has(status) ? 'warn' : 'info'
    case 'PRACK':
      return last !== undefined && isAnswered(last) ? 'info' : 'warn'
    case 'REFER':
      return 'warn'
    // Digits in INFO requests are the matter of another rule, which knows whether they are lost.
    default:
      return 'info'
  }
}

/** RFC 3261 §14.1: the session is not changed by a re-INVITE that fails. */
const unchanged = (method: string, severity: string): string =>
  isSessionChange(method) && severity === 'info' ? ' The session stays unchanged (§14.1).' : ''

/**
 * Reports requests other than the first INVITE that were rejected or not answered, and that never succeeded afterwards:
 * 423, 422, 491, and new nonces are parts of a normal call. RFC 3261 §8.1.3, §10.2.8, §14.1, §17.1.2.2.
 */
export const otherRequests: SipRule = (call) => {
  const course = toCourse(call)
  return call.transactions.flatMap((transaction): SipFinding[] => {
    const { request, answers, final } = transaction
    const { method } = request.message
    if (isInitialInvite(transaction) || course.succeededLater(transaction)) return []
    if (method === 'CANCEL' && final === undefined) return reportIgnoredCancel(call, transaction)
    if (final === undefined && answers.length === 0) return [reportSilence(call, transaction)]
    if (final === undefined || getStatus(final) < 300 || isChallenged(transaction)) return []
    const rated = rateRejection(call, course, transaction)
    if (rated === undefined || (getStatus(final) === 481 && course.isAfterEnd(transaction))) return []
    const isFollowed = course.isFollowed(transaction)
    const severity = isFollowed ? 'info' : rated
    const { explanation, source } = explain(transaction)
    const lost = describeLostCall(call, transaction)
    const credentialsHint =
      method === 'REGISTER' && getStatus(final) === 403 && hasCredentials(request) ? afterCredentials : ''
    return [
      {
        severity,
        text:
          `${sentence(describeParty(call, final.from))} rejected the ${nameRequest(method)} with ${final.title}: ${explanation}.` +
          `${isFollowed ? '' : unchanged(method, severity)}${credentialsHint}${formatReasonHeaders(final.message)}${formatRetryAfter(final.message)}` +
          (isFollowed ? ' It was repeated, and what became of it was not captured completely.' : ''),
        where: final.from,
        arrows: arrowIds(request, final),
        source,
        ...(lost && { ending: lost }),
      },
    ]
  })
}

/**
 * Reports a request without a response. Its sender repeats it over UDP until a response arrives (RFC 3261 §17.1.2.2), so
 * without a copy the response may only be missing in the capture.
 */
const reportSilence = (call: SipCall, { request }: SipTransaction): SipFinding => {
  const { method, number, fromTag } = request.message
  // The ACK shows that a response arrived (RFC 3261 §13.2.2.4, §17.1.1.3).
  const isConfirmed =
    method === 'INVITE' && call.acks.some(({ message }) => message.number === number && message.fromTag === fromTag)
  const isRepeated = request.again.length >= provenCopies && !isConfirmed
  const base = { where: request.to, arrows: arrowIds(request), source: 'RFC 3261 §17.1.2.2' }
  const party = describeParty(call, request.to)
  const name = `${nameRequest(method)}${request.media.some(isFax) ? ' for fax (T.38)' : ''}`
  if (!isRepeated) return { ...base, severity: 'info', text: `No response of ${party} to the ${name} was captured.` }
  return {
    ...base,
    severity: method === 'REGISTER' ? 'bad' : 'warn',
    text: `${sentence(party)} never answered the ${name}, sent ${times(request.again.length + 1)}.`,
  }
}

/**
 * Reports a CANCEL without a response, if the host had responded to the INVITE and did not end it. Its sender repeats it as
 * any request. It is a note, because the call ends with a BYE then. RFC 3261 §9.1, §9.2.
 */
const reportIgnoredCancel = (call: SipCall, { request, answers }: SipTransaction): SipFinding[] => {
  const invite = requestsNamed(call, 'INVITE').find(
    (one) =>
      one.request.from === request.from &&
      one.request.to === request.to &&
      one.request.message.number === request.message.number &&
      one.request.message.fromTag === request.message.fromTag,
  )
  const isResponsive = invite?.answers.some(({ id }) => id < request.id) === true
  if (!isResponsive || answers.length > 0 || request.again.length < provenCopies) return []
  const { final } = invite
  // Any final response but an answer ends the call as the CANCEL asks for.
  if (getStatus(final) >= 300 || (final !== undefined && final.id < request.id)) return []
  const later = final === undefined ? '' : ` The call was answered ${elapsedText(request, final)} after it.`
  return [
    {
      severity: 'info',
      text: `${sentence(describeParty(call, request.to))} never answered the CANCEL, sent ${times(request.again.length + 1)}.${later}`,
      where: request.to,
      arrows: arrowIds(request, final),
      source: 'RFC 3261 §9.1, §9.2',
    },
  ]
}
