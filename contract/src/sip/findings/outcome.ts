import {
  findForwards,
  lastSeenAt,
  findOrigin,
  type SipCall,
  type SipTransaction,
  describeParty,
} from '../transactions.ts'
import { arrowIds, sentence, type SipFinding, type SipRule, times } from './rule.ts'
import { secondsText, type ParsedArrow } from '../ladder.ts'
import { scanParameter } from '../scan.ts'
import { getHeader } from '../parser.ts'
import { describeStatus, formatReasonHeaders } from '../status-meanings.ts'

/** Findings about the course of a call and its end. Pure. */

export const challenges = new Set([401, 407])

/** Returns the status code of a response, or 0 without one. */
export const getStatus = (answer: ParsedArrow | undefined): number => answer?.message.status ?? 0

/** Returns whether the final response of a transaction is a success (2xx). */
export const isAnswered = ({ final }: SipTransaction): boolean => getStatus(final) >= 200 && getStatus(final) < 300

/** Returns the transactions of a call whose request has this method. */
export const requestsNamed = ({ transactions }: SipCall, method: string): SipTransaction[] =>
  transactions.filter(({ request }) => request.message.method === method)

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

/** Reports who answered the call, and after what time. RFC 3261 §13.2.2.4. */
export const answered: SipRule = (call) => {
  const { last, attempts } = call
  if (last?.final === undefined || !isAnswered(last)) return []
  const begun = attempts[0]?.request ?? last.request
  const ringing = last.answers.find(({ message: { status = 0 } }) => status > 100 && status < 200)
  const origin = findOrigin(call, last, last.final)
  const after = secondsText(last.final.at - begun.at)
  const rang = ringing ? `; ${secondsText(ringing.at - begun.at)} until ${ringing.title}` : ''
  return [
    {
      severity: 'good',
      text: `${sentence(describeParty(call, origin.request.to))} answered after ${after}${rang}.`,
      arrows: arrowIds(begun, ringing, last.final),
      source: 'RFC 3261 §13.2.2.4',
    },
  ]
}

/** Reports a call that was canceled before it was answered, and the reason. RFC 3261 §9.1, RFC 3326 §2. */
export const cancelled: SipRule = (call) => {
  const { last, attempts } = call
  if (last === undefined || isAnswered(last)) return []
  const cancel = requestsNamed(call, 'CANCEL')[0]?.request
  if (cancel === undefined || (last.final !== undefined && getStatus(last.final) !== 487)) return []
  const begun = attempts[0]?.request ?? last.request
  const isByCaller = cancel.from === call.caller
  return [
    {
      severity: isByCaller ? 'info' : 'warn',
      text:
        `${sentence(describeParty(call, cancel.from))} canceled the call ${secondsText(cancel.at - begun.at)} after it began, ` +
        `before it was answered.${formatReasonHeaders(cancel.message)}`,
      where: cancel.from,
      arrows: arrowIds(cancel, last.final),
      source: 'RFC 3261 §9.1',
    },
  ]
}

const isChallengeMet = (call: SipCall, { request, final }: SipTransaction): boolean =>
  challenges.has(getStatus(final)) &&
  call.transactions.some(
    (other) =>
      other.request.message.method === request.message.method &&
      other.request.from === request.from &&
      other.request.id > request.id,
  )

const describeRetry = (answer: ParsedArrow): string => {
  const seconds = getHeader(answer.message, 'retry-after')
  return seconds === undefined ? '' : ` It asks to retry after ${seconds} s.`
}

/** Reports which hop rejected the call, with which status, and what the status means. RFC 3261 §21, §16.7. */
export const rejected: SipRule = (call) => {
  const { last } = call
  if (last?.final === undefined || getStatus(last.final) < 300) return []
  const isCanceled = requestsNamed(call, 'CANCEL').length > 0 && getStatus(last.final) === 487
  if (isCanceled || challenges.has(getStatus(last.final))) return []
  const origin = findOrigin(call, last, last.final)
  const { explanation, section, isChoice } = describeStatus(getStatus(last.final))
  const below = findForwards(call, origin)
  const failed = below.flatMap(({ final }) => (final !== undefined && getStatus(final) >= 300 ? [final] : []))
  const unanswered = below.filter(({ final }) => final === undefined)
  const because = [
    ...failed.map((one) => `${describeParty(call, one.from)} had responded with ${one.title}`),
    ...unanswered.map(({ request }) => `${describeParty(call, request.to)} had not answered it`),
  ]
  const root = failed.at(-1) ?? unanswered.at(-1)?.request
  const passed = origin === last ? '' : ` ${sentence(describeParty(call, last.request.to))} forwarded that response.`
  return [
    {
      severity: isChoice ? 'warn' : 'bad',
      text:
        `${sentence(describeParty(call, origin.request.to))} rejected the call with ${last.final.title}: ${explanation}.${passed}` +
        (because.length > 0 ? ` Before that, ${because.join(', and ')}.` : '') +
        formatReasonHeaders(last.final.message) +
        describeRetry(last.final),
      where: root === undefined ? origin.request.to : failed.length > 0 ? root.from : root.to,
      arrows: arrowIds(last.request, ...failed, last.final),
      source: `RFC 3261 §${section}${failed.length > 0 ? ', §16.7' : ''}`,
    },
  ]
}

/** Reports a hop without any response to an INVITE, or without a final one. RFC 3261 §17.1.1.2 (timer B), §16.8. */
export const unanswered: SipRule = (call) => {
  const isCanceled = requestsNamed(call, 'CANCEL').length > 0
  const invites = requestsNamed(call, 'INVITE')
  return invites.flatMap((transaction): SipFinding[] => {
    const { request, answers, final } = transaction
    if (final !== undefined) return []
    const attempts = `sent ${times(request.again.length + 1)}`
    const until = lastSeenAt(request) - request.at
    const rest = call.end - request.at
    if (answers.length === 0)
      return [
        {
          severity: rest < timeout && !isCanceled ? 'warn' : 'bad',
          text:
            `${sentence(describeParty(call, request.to))} never answered the INVITE, ${attempts}` +
            `${until > 0 ? ` in ${secondsText(until)}` : ''}. It is down or unreachable, or its responses do not ` +
            `come back.${describeLength(request)}${rest < timeout ? ` Only ${secondsText(rest)} after it were captured.` : ''}`,
          where: request.to,
          arrows: arrowIds(request),
          source: 'RFC 3261 §17.1.1.2',
        },
      ]
    // Earlier hops wait for the same response, so only the last hop is reported.
    if (isCanceled || findForwards(call, transaction).length > 0) return []
    const latest = answers.at(-1)
    return [
      {
        severity: 'warn',
        text: `After ${latest?.title} ${describeParty(call, request.to)} sent no final response: neither an answer nor a rejection was captured.`,
        where: request.to,
        arrows: arrowIds(request, latest),
        source: 'RFC 3261 §17.1.1.2',
      },
    ]
  })
}

/** Reports a hop that rejected the call while another accepted it. RFC 3261 §16.7. */
export const triedElsewhere: SipRule = (call) => {
  const { last } = call
  if (last === undefined || !isAnswered(last)) return []
  return findForwards(call, last).flatMap(({ request, final }): SipFinding[] =>
    final === undefined || getStatus(final) < 300 || challenges.has(getStatus(final))
      ? []
      : [
          {
            severity: 'warn',
            text: `${sentence(describeParty(call, request.to))} rejected the INVITE with ${final.title} (${describeStatus(getStatus(final)).explanation}); ${describeParty(call, request.from)} tried another destination.`,
            where: request.to,
            arrows: arrowIds(request, final),
            source: 'RFC 3261 §16.7',
          },
        ],
  )
}

/**
 * Detects a call that ended because its session timer was not refreshed: the BYE comes within the last 32 s of the
 * interval, or the last third if that is shorter. RFC 4028 §10.
 */
const sessionEnd = (call: SipCall, bye: ParsedArrow): string => {
  const refresh = call.transactions.findLast(
    (one) => ['INVITE', 'UPDATE'].includes(one.request.message.method) && isAnswered(one) && one.request.id < bye.id,
  )?.final
  const interval = Number.parseInt(refresh ? (getHeader(refresh.message, 'session-expires') ?? '') : '', 10)
  if (refresh === undefined || !(interval > 0)) return ''
  const passed = (bye.at - refresh.at) / 1e6
  return passed >= interval - Math.min(32, interval / 3) && passed <= interval + 5
    ? ` The session timer of ${interval} s had run down without a refresh (RFC 4028 §10).`
    : ''
}

/**
 * Reports who hung up, according to the tags of the BYE, and the reason if the BYE contains one. RFC 3261 §15.1.1, RFC
 * 3326 §2.
 */
export const hungUp: SipRule = (call) => {
  const bye = requestsNamed(call, 'BYE')[0]
  if (bye === undefined) return []
  const { request } = bye
  const { last, caller } = call
  const isByCaller = last !== undefined && request.message.fromTag === last.request.message.fromTag
  const side = isByCaller ? caller : call.called
  const by =
    last === undefined || side === request.from
      ? describeParty(call, request.from)
      : `${describeParty(call, request.from)}, in the name of the ${isByCaller ? 'caller' : 'called party'},`
  const after = last?.final && isAnswered(last) ? ` ${secondsText(request.at - last.final.at)} after the answer` : ''
  const cause = scanParameter(getHeader(request.message, 'reason') ?? '', 'cause')
  const timer = sessionEnd(call, request)
  return [
    {
      severity: timer === '' && (cause === undefined || ['16', '200'].includes(cause)) ? 'info' : 'warn',
      text: `${sentence(by)} hung up${after}.${formatReasonHeaders(request.message)}${timer}`,
      where: request.from,
      arrows: arrowIds(request),
      source: 'RFC 3261 §15.1.1',
    },
  ]
}

/** Reports a call without a captured end. RFC 3261 §15. */
export const openEnded: SipRule = (call) => {
  const { last } = call
  if (last?.final === undefined || !isAnswered(last) || requestsNamed(call, 'BYE').length > 0) return []
  return [
    {
      severity: 'info',
      text: 'No BYE was captured: the call is still in progress, or its end did not pass a capture point.',
      arrows: arrowIds(last.final),
      source: 'RFC 3261 §15',
    },
  ]
}

const hasCredentials = ({ message }: ParsedArrow): boolean =>
  message.headers.some(([name]) => name === 'authorization' || name === 'proxy-authorization')

/** Registrars reject wrong passwords with 403 to prevent guessing (RFC 3261 §10.3, step 4). */
const afterCredentials =
  ' The REGISTER contained credentials, so the password is wrong or the user is not allowed to register (§10.3).'

/** Reports rejected and unanswered requests other than the INVITE that begins a call. RFC 3261 §8.1.3, §17.1.2.2. */
export const otherRequests: SipRule = (call) =>
  call.transactions.flatMap((transaction): SipFinding[] => {
    const { request, answers, final } = transaction
    const { method, toTag } = request.message
    if (method === 'INVITE' && toTag === '') return []
    const what = method === 'INVITE' ? 're-INVITE' : method
    if (final === undefined && answers.length === 0 && method !== 'INVITE')
      return [
        {
          severity: method === 'REGISTER' ? 'bad' : 'warn',
          text: `${sentence(describeParty(call, request.to))} never answered the ${what}, sent ${times(request.again.length + 1)}.`,
          where: request.to,
          arrows: arrowIds(request),
          source: 'RFC 3261 §17.1.2.2',
        },
      ]
    if (final === undefined || getStatus(final) < 300 || challenges.has(getStatus(final))) return []
    const { explanation, section } = describeStatus(getStatus(final))
    const credentialsHint =
      method === 'REGISTER' && getStatus(final) === 403 && hasCredentials(request) ? afterCredentials : ''
    return [
      {
        severity: method === 'REGISTER' ? 'bad' : 'warn',
        text: `${sentence(describeParty(call, final.from))} rejected the ${what} with ${final.title}: ${explanation}.${credentialsHint}${formatReasonHeaders(final.message)}`,
        where: final.from,
        arrows: arrowIds(request, final),
        source: `RFC 3261 §${section}`,
      },
    ]
  })

interface Challenged {
  transactions: SipTransaction[]
  /** Number of requests that were rejected although they had credentials. */
  rejected: number
}

const getRealm = ({ message }: ParsedArrow): string =>
  scanParameter(getHeader(message, 'www-authenticate') ?? getHeader(message, 'proxy-authenticate') ?? '', 'realm') ?? ''

/** Returns whether credentials were rejected for another reason than an expired nonce (RFC 7616 §3.3). */
const isRejected = ({ request, final }: SipTransaction): boolean => {
  if (final === undefined) return false
  const challenge = getHeader(final.message, 'www-authenticate') ?? getHeader(final.message, 'proxy-authenticate') ?? ''
  return hasCredentials(request) && scanParameter(challenge, 'stale')?.toLowerCase() !== 'true'
}

/** Reports credentials that are rejected repeatedly or missing. RFC 3261 §22.1 to §22.3. */
export const authentication: SipRule = (call) => {
  const byAsker = new Map<string, Challenged>()
  for (const transaction of call.transactions) {
    const { request, final } = transaction
    if (final === undefined || !challenges.has(getStatus(final))) continue
    const key = [request.message.method, request.from, request.to, getRealm(final)].join(' ')
    const challenged = byAsker.get(key) ?? { transactions: [], rejected: 0 }
    challenged.transactions.push(transaction)
    if (isRejected(transaction)) challenged.rejected += 1
    byAsker.set(key, challenged)
  }
  return [...byAsker.values()].flatMap(({ transactions, rejected: count }): SipFinding[] => {
    const latest = transactions.at(-1)
    if (latest?.final === undefined) return []
    const { request, final } = latest
    const isMet = isChallengeMet(call, latest)
    const realm = getRealm(final) === '' ? '' : ` for the realm ${getRealm(final)}`
    const arrows = transactions.flatMap((one) => arrowIds(one.request, one.final))
    if (count > 0)
      return [
        {
          severity: isMet && count === 1 ? 'warn' : 'bad',
          text:
            `${sentence(describeParty(call, final.from))} rejected the credentials of ${describeParty(call, request.from)}${realm} ` +
            `${times(count)} (${final.title}): the user name or the password is wrong, or the realm is not the one they are for.` +
            (count > 1 ? ' The same request was repeated: a loop.' : ''),
          where: request.from,
          arrows,
          source: 'RFC 3261 §22.1, §22.2',
        },
      ]
    if (isMet) return []
    return [
      {
        severity: 'bad',
        text: `${sentence(describeParty(call, final.from))} requested credentials${realm} (${final.title}), and ${describeParty(call, request.from)} sent none.`,
        where: request.from,
        arrows,
        source: 'RFC 3261 §22.2',
      },
    ]
  })
}
