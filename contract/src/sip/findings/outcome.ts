import { findForwards, lastAt, findOrigin, type SipCall, type SipTransaction, who } from '../transactions.ts'
import { arrowIds, sentence, type SipFinding, type SipRule, times } from './rule.ts'
import { secondsText, type ParsedArrow } from '../ladder.ts'
import { scanParameter } from '../scan.ts'
import { getHeader } from '../parser.ts'
import { describeStatus, formatReasonHeaders } from '../status-meanings.ts'

/** How a call went and who ended it. Pure. */

export const challenges = new Set([401, 407])

export const getStatus = (answer: ParsedArrow | undefined): number => answer?.message.status ?? 0

export const isAnswered = ({ final }: SipTransaction): boolean => getStatus(final) >= 200 && getStatus(final) < 300

export const requestsNamed = ({ transactions }: SipCall, method: string): SipTransaction[] =>
  transactions.filter(({ request }) => request.message.method === method)

/** What an agent waits for an answer: 64*T1 (RFC 3261 §17.1.1.2), microseconds; a little less, as clocks differ. */
const timeout = 31_000_000

/** Over UDP what is longer is sent in pieces, which get lost (RFC 3261 §18.1.1). */
const maxDatagramBytes = 1300

const lengthWords = ({ raw, transport }: ParsedArrow): string => {
  const length = new TextEncoder().encode(raw).length
  return transport === 'UDP' && length > maxDatagramBytes
    ? ` It has ${length} bytes, more than goes over UDP in one piece (§18.1.1): it may have got lost for that.`
    : ''
}

/** A call that was answered: by whom, and after what time. RFC 3261 §13.2.2.4. */
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
      text: `${sentence(who(call, origin.request.to))} answered after ${after}${rang}.`,
      arrows: arrowIds(begun, ringing, last.final),
      source: 'RFC 3261 §13.2.2.4',
    },
  ]
}

/** A call that was given up before it was answered, and why. RFC 3261 §9.1, RFC 3326 §2. */
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
        `${sentence(who(call, cancel.from))} gave the call up ${secondsText(cancel.at - begun.at)} after it began, ` +
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

const retryWords = (answer: ParsedArrow): string => {
  const seconds = getHeader(answer.message, 'retry-after')
  return seconds === undefined ? '' : ` It asks to be tried again after ${seconds} s.`
}

/** A call that was refused: which hop did, with what, and what that means. RFC 3261 §21, §16.7. */
export const refused: SipRule = (call) => {
  const { last } = call
  if (last?.final === undefined || getStatus(last.final) < 300) return []
  const given = requestsNamed(call, 'CANCEL').length > 0 && getStatus(last.final) === 487
  if (given || challenges.has(getStatus(last.final))) return []
  const origin = findOrigin(call, last, last.final)
  const { words, section, isChoice } = describeStatus(getStatus(last.final))
  const below = findForwards(call, origin)
  const failed = below.flatMap(({ final }) => (final !== undefined && getStatus(final) >= 300 ? [final] : []))
  const silent = below.filter(({ final }) => final === undefined)
  const because = [
    ...failed.map((one) => `${who(call, one.from)} had answered it ${one.title}`),
    ...silent.map(({ request }) => `${who(call, request.to)} had not answered it`),
  ]
  const root = failed.at(-1) ?? silent.at(-1)?.request
  const passed = origin === last ? '' : ` ${sentence(who(call, last.request.to))} passed that on.`
  return [
    {
      severity: isChoice ? 'warn' : 'bad',
      text:
        `${sentence(who(call, origin.request.to))} refused the call with ${last.final.title}: ${words}.${passed}` +
        (because.length > 0 ? ` Before that, ${because.join(', and ')}.` : '') +
        formatReasonHeaders(last.final.message) +
        retryWords(last.final),
      where: root === undefined ? origin.request.to : failed.length > 0 ? root.from : root.to,
      arrows: arrowIds(last.request, ...failed, last.final),
      source: `RFC 3261 §${section}${failed.length > 0 ? ', §16.7' : ''}`,
    },
  ]
}

/** A hop that answered no INVITE at all, or none for good. RFC 3261 §17.1.1.2 (timer B), §16.8. */
export const silent: SipRule = (call) => {
  const given = requestsNamed(call, 'CANCEL').length > 0
  const invites = requestsNamed(call, 'INVITE')
  return invites.flatMap((transaction): SipFinding[] => {
    const { request, answers, final } = transaction
    if (final !== undefined) return []
    const sent = `sent ${times(request.again.length + 1)}`
    const until = lastAt(request) - request.at
    const rest = call.end - request.at
    if (answers.length === 0)
      return [
        {
          severity: rest < timeout && !given ? 'warn' : 'bad',
          text:
            `${sentence(who(call, request.to))} never answered the INVITE, ${sent}` +
            `${until > 0 ? ` in ${secondsText(until)}` : ''}. It is not there, does not hear, or its answers do not ` +
            `come back.${lengthWords(request)}${rest < timeout ? ` Only ${secondsText(rest)} after it were captured.` : ''}`,
          where: request.to,
          arrows: arrowIds(request),
          source: 'RFC 3261 §17.1.1.2',
        },
      ]
    // The hops before it wait for the same answer: the last one tells.
    if (given || findForwards(call, transaction).length > 0) return []
    const latest = answers.at(-1)
    return [
      {
        severity: 'warn',
        text: `After ${latest?.title} ${who(call, request.to)} said no more: neither an answer nor a refusal was captured.`,
        where: request.to,
        arrows: arrowIds(request, latest),
        source: 'RFC 3261 §17.1.1.2',
      },
    ]
  })
}

/** A hop that refused while another took the call. RFC 3261 §16.7. */
export const triedElsewhere: SipRule = (call) => {
  const { last } = call
  if (last === undefined || !isAnswered(last)) return []
  return findForwards(call, last).flatMap(({ request, final }): SipFinding[] =>
    final === undefined || getStatus(final) < 300 || challenges.has(getStatus(final))
      ? []
      : [
          {
            severity: 'warn',
            text: `${sentence(who(call, request.to))} refused with ${final.title} (${describeStatus(getStatus(final)).words}); ${who(call, request.from)} went on elsewhere.`,
            where: request.to,
            arrows: arrowIds(request, final),
            source: 'RFC 3261 §16.7',
          },
        ],
  )
}

/** Session timers end a call that nobody refreshed: a BYE within the last 32 s, or the last third if that is less. RFC 4028 §10. */
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

/** Who hung up, by the tags of the BYE, and why as far as it says. RFC 3261 §15.1.1, RFC 3326 §2. */
export const hungUp: SipRule = (call) => {
  const bye = requestsNamed(call, 'BYE')[0]
  if (bye === undefined) return []
  const { request } = bye
  const { last, caller } = call
  const isByCaller = last !== undefined && request.message.fromTag === last.request.message.fromTag
  const side = isByCaller ? caller : call.called
  const by =
    last === undefined || side === request.from
      ? who(call, request.from)
      : `${who(call, request.from)}, in the name of the ${isByCaller ? 'caller' : 'called party'},`
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

/** A call that goes on, or whose end was not captured. RFC 3261 §15. */
export const openEnded: SipRule = (call) => {
  const { last } = call
  if (last?.final === undefined || !isAnswered(last) || requestsNamed(call, 'BYE').length > 0) return []
  return [
    {
      severity: 'info',
      text: 'No BYE was captured: the call goes on, or its end did not pass where SIP is captured.',
      arrows: arrowIds(last.final),
      source: 'RFC 3261 §15',
    },
  ]
}

const hasCredentials = ({ message }: ParsedArrow): boolean =>
  message.headers.some(([name]) => name === 'authorization' || name === 'proxy-authorization')

/** Registrars answer 403 to a password that is wrong, so that nobody guesses on (RFC 3261 §10.3, step 4). */
const afterCredentials =
  ' The REGISTER came with credentials: its password is wrong, or its user may not register there (§10.3).'

/** Everything but the INVITE that begins a call: what was refused, and what was never answered. RFC 3261 §8.1.3, §17.1.2.2. */
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
          text: `${sentence(who(call, request.to))} never answered the ${what}, sent ${times(request.again.length + 1)}.`,
          where: request.to,
          arrows: arrowIds(request),
          source: 'RFC 3261 §17.1.2.2',
        },
      ]
    if (final === undefined || getStatus(final) < 300 || challenges.has(getStatus(final))) return []
    const { words, section } = describeStatus(getStatus(final))
    const given = method === 'REGISTER' && getStatus(final) === 403 && hasCredentials(request) ? afterCredentials : ''
    return [
      {
        severity: method === 'REGISTER' ? 'bad' : 'warn',
        text: `${sentence(who(call, final.from))} refused the ${what} with ${final.title}: ${words}.${given}${formatReasonHeaders(final.message)}`,
        where: final.from,
        arrows: arrowIds(request, final),
        source: `RFC 3261 §${section}`,
      },
    ]
  })

interface Challenged {
  transactions: SipTransaction[]
  /** those that came with credentials and were refused all the same */
  refused: number
}

const realmOf = ({ message }: ParsedArrow): string =>
  scanParameter(getHeader(message, 'www-authenticate') ?? getHeader(message, 'proxy-authenticate') ?? '', 'realm') ?? ''

/** Credentials were given, and refused: not those whose nonce had merely grown old (RFC 7616 §3.3). */
const isRefused = ({ request, final }: SipTransaction): boolean => {
  if (final === undefined) return false
  const challenge = getHeader(final.message, 'www-authenticate') ?? getHeader(final.message, 'proxy-authenticate') ?? ''
  return hasCredentials(request) && scanParameter(challenge, 'stale')?.toLowerCase() !== 'true'
}

/** Credentials that are refused again and again, or are not given. RFC 3261 §22.1 to §22.3. */
export const authentication: SipRule = (call) => {
  const byAsker = new Map<string, Challenged>()
  for (const transaction of call.transactions) {
    const { request, final } = transaction
    if (final === undefined || !challenges.has(getStatus(final))) continue
    const key = [request.message.method, request.from, request.to, realmOf(final)].join(' ')
    const known = byAsker.get(key) ?? { transactions: [], refused: 0 }
    known.transactions.push(transaction)
    if (isRefused(transaction)) known.refused += 1
    byAsker.set(key, known)
  }
  return [...byAsker.values()].flatMap(({ transactions, refused: count }): SipFinding[] => {
    const latest = transactions.at(-1)
    if (latest?.final === undefined) return []
    const { request, final } = latest
    const isMet = isChallengeMet(call, latest)
    const realm = realmOf(final) === '' ? '' : ` for the realm ${realmOf(final)}`
    const arrows = transactions.flatMap((one) => arrowIds(one.request, one.final))
    if (count > 0)
      return [
        {
          severity: isMet && count === 1 ? 'warn' : 'bad',
          text:
            `${sentence(who(call, final.from))} refused the credentials of ${who(call, request.from)}${realm} ` +
            `${times(count)} (${final.title}): the user name or the password is wrong, or the realm is not the one they are for.` +
            (count > 1 ? ' The same was tried again and again: a loop.' : ''),
          where: request.from,
          arrows,
          source: 'RFC 3261 §22.1, §22.2',
        },
      ]
    if (isMet) return []
    return [
      {
        severity: 'bad',
        text: `${sentence(who(call, final.from))} asked for credentials${realm} (${final.title}), and ${who(call, request.from)} gave none.`,
        where: request.from,
        arrows,
        source: 'RFC 3261 §22.2',
      },
    ]
  })
}
