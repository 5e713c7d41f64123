import { elapsedText, type ParsedArrow, secondsText } from '../ladder.ts'
import { formatReasonHeaders } from '../reasons.ts'
import { explainRefusal } from '../refusal.ts'
import { toRefusedCall } from '../refused-call.ts'
import {
  describeParty,
  findForwards,
  findOrigin,
  getStatus,
  isAnswered,
  isChallenged,
  isInitialInvite,
  isProvisional,
  lastSeenAt,
  requestsNamed,
  type SipCall,
  type SipTransaction,
} from '../transactions.ts'
import { findEarlyBye } from './hangup.ts'
import { arrowIds, provenCopies, type SipFinding, type SipRule, sentence, times } from './rule.ts'

/** Findings about the course of a call and its end. Pure. */

/**
 * Microseconds that a user agent waits for a response: 64*T1 (RFC 3261 §17.1.1.2), minus a margin for clock
 * differences.
 */
const timeout = 31_000_000

/** Longer UDP datagrams are fragmented and often lost (RFC 3261 §18.1.1). */
const maxDatagramBytes = 1300

const describeLength = ({ raw, transport }: ParsedArrow): string => {
  const length = new TextEncoder().encode(raw).length
  return transport === 'UDP' && length > maxDatagramBytes
    ? ` It has ${length} bytes, more than fits into one UDP packet (§18.1.1), so it may have been lost.`
    : ''
}

const describeMissing = (call: SipCall, { what, proof }: NonNullable<SipCall['missing']>): SipFinding => ({
  severity: 'info',
  text:
    what === 'answer'
      ? `The call was answered: ${describeParty(call, proof.from)} sent ${proof.title} in its dialog. The INVITE that was answered, or its response, was not captured.`
      : `The caller sent another INVITE, which was not captured: ${proof.title} belongs to it.`,
  arrows: arrowIds(proof),
  source: 'RFC 3261 §12.1, §8.1.1.5',
})

/** Returns the INVITE with which the call began. Some programs use the Call-ID of a call that was hung up again. */
export const findBegin = (call: SipCall, { request }: SipTransaction): ParsedArrow => {
  const ended = requestsNamed(call, 'BYE').findLast((bye) => bye.request.id < request.id)
  return call.attempts.find((one) => one.request.id > (ended?.request.id ?? -1))?.request ?? request
}

/** Reports who answered the call, and after what time. RFC 3261 §13.2.2.4. */
export const answered: SipRule = (call) => {
  const { last, missing } = call
  if (missing !== undefined) return [describeMissing(call, missing)]
  if (last?.final === undefined || !isAnswered(last)) return []
  const begun = findBegin(call, last)
  const ringing = last.answers.find(isProvisional)
  const origin = findOrigin(call, last, last.final)
  const after = elapsedText(begun, last.final)
  const rang = ringing ? `; ${elapsedText(begun, ringing)} until ${ringing.title}` : ''
  return [
    {
      severity: 'good',
      text: `${sentence(describeParty(call, origin.request.to))} answered after ${after}${rang}.`,
      arrows: arrowIds(begun, ringing, last.final),
      source: 'RFC 3261 §13.2.2.4',
    },
  ]
}

/**
 * Returns the CANCEL of an INVITE: the one on its hop, or the first one of the call, because a caller whose CANCEL was not
 * captured is known by that of the next hop (RFC 3261 §9.1).
 */
const findCancel = (call: SipCall, { request }: SipTransaction): ParsedArrow | undefined => {
  const cancels = requestsNamed(call, 'CANCEL').map((one) => one.request)
  return cancels.find(({ from, to }) => from === request.from && to === request.to) ?? cancels[0]
}

/**
 * Describes a 487 without a captured CANCEL: the CANCEL was lost, or a server gave up (RFC 3261 §16.8, §21.4.25). The
 * capture does not show which of the two it was.
 */
const describeTermination = (call: SipCall, transaction: SipTransaction, final: ParsedArrow): SipFinding => {
  const refused = toRefusedCall(call, transaction, final)
  const { explanation, details, source, isOrdinary, severity } = explainRefusal(refused)
  const by = findOrigin(call, transaction, final).request.to
  return {
    severity: isOrdinary ? 'info' : severity,
    text: `${sentence(describeParty(call, by))} ended the call with ${final.title}: ${explanation}.${details}`,
    where: by,
    arrows: arrowIds(transaction.request, final),
    source,
    refused: { ...refused, by },
  }
}

/** Returns whether the sender of an INVITE canceled it on its own hop. */
const isCanceledOnHop = (call: SipCall, { request, final }: SipTransaction): boolean =>
  requestsNamed(call, 'CANCEL').some(
    (one) =>
      one.request.from === request.from &&
      one.request.to === request.to &&
      (final === undefined || one.request.id < final.id),
  )

/**
 * Returns whether a refusal only ends a call that the caller had canceled: 487 is recommended for it, not required (RFC 3261
 * §9.2). A device that declines the call, or a server that fails, can do so at the same time.
 */
const isRefusalAfterCancel = (call: SipCall, transaction: SipTransaction): boolean =>
  [408, 480, 486].includes(getStatus(transaction.final)) && isCanceledOnHop(call, transaction)

/** Reports a call that was canceled before it was answered, and the reason. RFC 3261 §9.1, RFC 3326 §2. */
export const cancelled: SipRule = (call) => {
  const { last, attempts } = call
  if (last === undefined || isAnswered(last) || call.missing !== undefined) return []
  const cancel = findCancel(call, last) ?? findEarlyBye(call)
  if (last.final !== undefined && getStatus(last.final) !== 487 && !isRefusalAfterCancel(call, last)) return []
  if (cancel === undefined) return last.final === undefined ? [] : [describeTermination(call, last, last.final)]
  const begun = attempts[0]?.request ?? last.request
  const isBye = cancel.message.method === 'BYE'
  const progress = attempts.flatMap(({ answers }) => answers.filter(({ message: { status = 0 } }) => status < 200))
  const isSilent = progress.length > 0 && progress.every(({ message }) => message.status === 100)
  const rang = last.answers.find((answer) => getStatus(answer) === 180)
  const sinceBegin = (cancel.at - begun.at) / 1e6
  return [
    {
      severity: 'info',
      text:
        `${sentence(describeParty(call, cancel.from))} ${isBye ? 'ended the call with BYE' : 'canceled the call'} ${elapsedText(begun, cancel)} after it began, ` +
        `before it was answered.${isSilent ? ' The only response until then was 100 Trying.' : ''}${formatReasonHeaders(cancel.message)}`,
      ...(isSilent ? { silentSeconds: sinceBegin } : {}),
      ...(rang === undefined ? {} : { ringing: { seconds: (cancel.at - rang.at) / 1e6, sinceBegin } }),
      where: cancel.from,
      arrows: arrowIds(cancel, last.final),
      source: isBye ? 'RFC 3261 §15' : 'RFC 3261 §9.1',
    },
  ]
}

/** Reports which hop rejected the call, with which status, and what the status means. RFC 3261 §21, §16.7. */
export const rejected: SipRule = (call) => {
  const { last } = call
  if (last?.final === undefined || getStatus(last.final) < 300 || call.missing !== undefined) return []
  if (getStatus(last.final) === 487 || isChallenged(last) || isRefusalAfterCancel(call, last)) return []
  const origin = findOrigin(call, last, last.final)
  const refused = toRefusedCall(call, last, last.final)
  const { explanation, details, severity, source, block } = explainRefusal(refused)
  const forwards = findForwards(call, origin)
  const canceled = forwards.filter((one) => getStatus(one.final) === 487 && isCanceledOnHop(call, one))
  const below = forwards.filter((one) => !canceled.includes(one))
  const failed = below.flatMap(({ final }) => (final !== undefined && getStatus(final) >= 300 ? [final] : []))
  const unanswered = below.filter(({ final }) => final === undefined)
  const because = [
    ...failed.map((one) => `${describeParty(call, one.from)} had responded with ${one.title}`),
    ...unanswered.map(({ request }) => `${describeParty(call, request.to)} had not answered it`),
    ...canceled.map(({ request }) => `it had canceled the call to ${describeParty(call, request.to)}`),
  ]
  const root = failed.at(-1) ?? unanswered.at(-1)?.request
  // In a loop, the host that rejected the call also forwarded it.
  const passed =
    origin.request.to === last.request.to
      ? ''
      : ` ${sentence(describeParty(call, last.request.to))} forwarded that response.`
  return [
    {
      severity,
      text:
        `${sentence(describeParty(call, origin.request.to))} rejected the call with ${last.final.title}: ${explanation}.${passed}` +
        (because.length > 0 ? ` Before that, ${because.join(', and ')}.` : '') +
        details,
      where: root === undefined ? origin.request.to : failed.length > 0 ? root.from : root.to,
      arrows: arrowIds(last.request, ...failed, last.final),
      source: `${source}${failed.length > 0 ? `, ${source.startsWith('RFC 3261') ? '' : 'RFC 3261 '}§16.7` : ''}`,
      refused: { ...refused, by: origin.request.to },
      contacts: block?.contacts ?? [],
    },
  ]
}

/** INVITEs that begin a call and whose silence matters: those of an unanswered call that no other target followed. */
const decisiveInvites = (call: SipCall): SipTransaction[] => {
  const { last, caller } = call
  if (last === undefined || isAnswered(last) || call.missing !== undefined) return []
  return requestsNamed(call, 'INVITE').filter(
    (one) => isInitialInvite(one) && (one.request.from !== caller || one === last),
  )
}

/**
 * Returns whether nothing answered an INVITE without a captured response. Its sender repeats it over UDP until a response
 * arrives, and gives up after 32 s (RFC 3261 §17.1.1.2), so the silence is proven only if it did.
 */
export const isSilenceProven = ({ missing, end }: SipCall, request: ParsedArrow): boolean =>
  missing === undefined && (request.again.length >= provenCopies || end - request.at >= timeout)

/** Describes an INVITE without any response. */
const describeSilence = (call: SipCall, { request }: SipTransaction): SipFinding => {
  const rest = call.end - request.at
  const until = lastSeenAt(request) - request.at
  const base = { where: request.to, arrows: arrowIds(request), source: 'RFC 3261 §17.1.1.2' }
  const party = describeParty(call, request.to)
  if (!isSilenceProven(call, request))
    return {
      ...base,
      severity: 'info',
      text: `No response of ${party} to the INVITE was captured.${describeLength(request)}`,
    }
  return {
    ...base,
    severity: rest < timeout && requestsNamed(call, 'CANCEL').length === 0 ? 'warn' : 'bad',
    text:
      `${sentence(party)} never answered the INVITE, sent ${times(request.again.length + 1)}` +
      `${until > 0 ? ` in ${secondsText(until)}` : ''}. It is down or unreachable, or its responses do not ` +
      `come back.${describeLength(request)}${rest < timeout ? ` Only ${secondsText(rest)} after it were captured.` : ''}`,
  }
}

/** Reports a hop without any response to an INVITE, or without a final one. RFC 3261 §17.1.1.2 (timer B), §16.8. */
export const unanswered: SipRule = (call) => {
  const isCanceled = requestsNamed(call, 'CANCEL').length > 0
  return decisiveInvites(call).flatMap((transaction): SipFinding[] => {
    const { request, answers, final } = transaction
    if (final !== undefined) return []
    if (answers.length === 0) return [describeSilence(call, transaction)]
    // Earlier hops wait for the same response, so only the last hop is reported.
    if (isCanceled || findForwards(call, transaction).length > 0) return []
    const latest = answers.at(-1)
    return [
      {
        severity: 'info',
        text: `After ${latest?.title} of ${describeParty(call, request.to)}, no final response was captured: neither an answer nor a rejection.`,
        where: request.to,
        arrows: arrowIds(request, latest),
        source: 'RFC 3261 §17.1.1.2',
      },
    ]
  })
}
