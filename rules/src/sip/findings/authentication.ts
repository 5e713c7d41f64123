import { addToGroup } from '../../lib/groups.ts'
import { type ParsedArrow, parsedArrows } from '../ladder.ts'
import { headersNamed } from '../parser.ts'
import { scanParameter } from '../scan.ts'
import {
  describeParty,
  getSequenceMethod,
  isAnswered,
  isChallenged,
  isInitialInvite,
  type SipCall,
  type SipTransaction,
} from '../transactions.ts'
import { arrowIds, provenCopies, type SipFinding, type SipRule, sentence, times } from './rule.ts'

/** Findings about credentials (RFC 3261 §22). Pure. */

interface Challenge {
  realm: string
  nonce: string
  isStale: boolean
}

/** A challenge of an earlier response of the conversation. */
interface Offer extends Challenge {
  /** In microseconds since the Unix epoch. */
  at: number
  isUsed: boolean
}

interface Credentials {
  realm: string
  nonce: string
}

/** A server may ask for several realms, and once per algorithm (RFC 8760 §2.4). */
const challengesIn = ({ message }: ParsedArrow): Challenge[] =>
  ['www-authenticate', 'proxy-authenticate'].flatMap((name) =>
    headersNamed(message, name).map((value) => ({
      realm: scanParameter(value, 'realm') ?? '',
      nonce: scanParameter(value, 'nonce') ?? '',
      isStale: scanParameter(value, 'stale')?.toLowerCase() === 'true',
    })),
  )

const credentialsIn = ({ message }: ParsedArrow): Credentials[] =>
  ['authorization', 'proxy-authorization'].flatMap((name) =>
    headersNamed(message, name).map((value) => ({
      realm: scanParameter(value, 'realm') ?? '',
      nonce: scanParameter(value, 'nonce') ?? '',
    })),
  )

/** Returns whether a request contains credentials. */
export const hasCredentials = ({ message }: ParsedArrow): boolean =>
  message.headers.some(([name]) => name === 'authorization' || name === 'proxy-authorization')

/**
 * The judgment of a response about credentials. They are `rejected` if they answer a challenge of their realm for the
 * first time, and `mixedUp` if they answer a challenge of another realm. They are `stale` if the response says so, and
 * `repeated` if their nonce was used before: a server may refuse it then, with or without `stale` (RFC 7616 §3.3). They are
 * `taken` if the response asks only for those of other realms. Nothing is known of a nonce that was not captured.
 */
type Outcome =
  | { is: 'rejected' | 'stale' | 'repeated' | 'taken' | 'unknown' }
  | { is: 'mixedUp'; realm: string; challengeRealm: string }

/** The requests of one method that one host sent to another. */
interface Conversation {
  transactions: SipTransaction[]
  /** Realms whose credentials were rejected, with how often. */
  rejections: Map<string, number>
  /** The requests whose credentials are of another realm than the challenge that they answer. */
  mixedUp: number
  /** The requests in a row that answered a challenge at once, and whose nonce was called stale. */
  staleInRow: number
  /** The challenges that were captured, by nonce. */
  offers: Map<string, Offer[]>
  /** Has one for each of the credentials of the last request. */
  outcomes: readonly Outcome[]
}

/** Number of microseconds in which a client answers a challenge at once: the time-out of a transaction (RFC 3261 §17.1.2.2). */
const prompt = 32_000_000

/** @param captured the challenges with the nonce of the credentials */
const judgeCredentials = (
  { realm, nonce }: Credentials,
  at: number,
  captured: readonly Offer[],
  offered: readonly Challenge[],
): Outcome => {
  const again = offered.find((one) => one.realm === realm)
  const own = captured.filter((one) => one.realm === realm)
  const fresh = own.find(({ isUsed }) => !isUsed)
  if (fresh !== undefined) {
    // A challenge for each algorithm can have the same nonce (RFC 8760 §2.4).
    for (const one of own) one.isUsed = true
    if (again === undefined) return { is: 'taken' }
    if (!again.isStale) return { is: 'rejected' }
    return { is: at - fresh.at > prompt ? 'repeated' : 'stale' }
  }
  if (own.length > 0) return { is: again === undefined ? 'taken' : 'repeated' }
  const challengeRealm = captured.find((one) =>
    offered.some((other) => other.realm === one.realm && !other.isStale),
  )?.realm
  return realm === '' || nonce === '' || challengeRealm === undefined
    ? { is: 'unknown' }
    : { is: 'mixedUp', realm, challengeRealm }
}

/** Notes what a transaction says about the credentials of its request, and the challenges of its response. */
const followCredentials = (conversation: Conversation, { request, final }: SipTransaction): void => {
  const { rejections, offers } = conversation
  const offered = final === undefined ? [] : challengesIn(final)
  const credentials = credentialsIn(request)
  const outcomes = credentials.map((one) => judgeCredentials(one, request.at, offers.get(one.nonce) ?? [], offered))
  for (const [index, { realm }] of credentials.entries())
    if (outcomes[index]?.is === 'rejected') rejections.set(realm, (rejections.get(realm) ?? 0) + 1)
  if (outcomes.some(({ is }) => is === 'mixedUp')) conversation.mixedUp += 1
  conversation.staleInRow = outcomes.some(({ is }) => is === 'stale') ? conversation.staleInRow + 1 : 0
  conversation.outcomes = outcomes
  if (final !== undefined)
    for (const one of offered) addToGroup(offers, one.nonce, { ...one, at: final.at, isUsed: false })
}

const groupByHop = ({ transactions }: SipCall): Conversation[] => {
  const byHop = new Map<string, Conversation>()
  for (const transaction of transactions) {
    const { request } = transaction
    const key = `${request.message.method} ${request.from} ${request.to}`
    const conversation: Conversation = byHop.get(key) ?? {
      transactions: [],
      rejections: new Map(),
      mixedUp: 0,
      staleInRow: 0,
      offers: new Map(),
      outcomes: [],
    }
    byHop.set(key, conversation)
    conversation.transactions.push(transaction)
    followCredentials(conversation, transaction)
  }
  return [...byHop.values()]
}

const sequenceKey = (arrow: ParsedArrow): string => `${getSequenceMethod(arrow)} ${arrow.message.fromTag}`

/** Returns the highest CSeq number by method and sender. A higher one belongs to a request that was not captured. */
const findLatestNumbers = ({ ladder }: SipCall): ReadonlyMap<string, number> => {
  const numbers = new Map<string, number>()
  for (const arrow of parsedArrows(ladder)) {
    const key = sequenceKey(arrow)
    numbers.set(key, Math.max(numbers.get(key) ?? 0, arrow.message.number || 0))
  }
  return numbers
}

/**
 * Severities of methods. A call does not need its other requests, such as a SUBSCRIBE, and any response to OPTIONS shows
 * that the host is alive (RFC 3261 §11.2).
 */
const severities: ReadonlyMap<string, SipFinding['severity']> = new Map([
  ['REGISTER', 'bad'],
  ['OPTIONS', 'info'],
])

/** Says why credentials that were not taken can be only outdated. */
const describeOutdated = (outcomes: readonly Outcome[]): string => {
  if (outcomes.some(({ is }) => is === 'unknown'))
    return ', and does not show the challenge that these answered, so they can be wrong or only outdated'
  return outcomes.some(({ is }) => is === 'repeated')
    ? '. Their nonce had been used before, or was answered late, so they can be wrong or only outdated'
    : '. The response calls their nonce stale, so they are only outdated'
}

/** Reports credentials that are rejected or missing, unless a later request was taken. RFC 3261 §22.1 to §22.3. */
export const authentication: SipRule = (call) => {
  const latestNumbers = findLatestNumbers(call)
  return groupByHop(call).flatMap((conversation): SipFinding[] => {
    const { transactions, rejections, mixedUp, staleInRow, outcomes } = conversation
    // Only the last request counts: what followed a challenge shows what became of it.
    const latest = transactions.at(-1)
    if (latest?.final === undefined || !isChallenged(latest)) return []
    const { request, final } = latest
    const beginsCall = isInitialInvite(latest)
    if ((latestNumbers.get(sequenceKey(request)) ?? 0) > request.message.number) return []
    if (beginsCall && (call.missing || (call.last && isAnswered(call.last)))) return []
    const [asker, client] = [describeParty(call, final.from), describeParty(call, request.from)]
    const [rejected] = [...rejections].toSorted(([, a], [, b]) => b - a)
    const realms = rejected ? [rejected[0]] : [...new Set(challengesIn(final).map(({ realm }) => realm))]
    const realm = realms.filter(Boolean).length > 0 ? ` for the realm ${realms.filter(Boolean).join(', ')}` : ''
    const base = {
      severity: beginsCall ? 'bad' : (severities.get(request.message.method) ?? 'warn'),
      where: request.from,
      arrows: transactions.filter(isChallenged).flatMap((one) => arrowIds(one.request, one.final)),
      source: 'RFC 3261 §22.1, §22.2',
    } as const
    // Credentials of its own realm beside the others say more.
    const isOwn = outcomes.some(({ is }) => is === 'rejected' || is === 'stale')
    const mixed = isOwn ? undefined : outcomes.find((one) => one.is === 'mixedUp')
    if (mixed !== undefined)
      return [
        {
          ...base,
          text:
            `${sentence(asker)} rejected the credentials of ${client} ${times(mixedUp)} (${final.title}): they are for the ` +
            `realm ${mixed.realm}, but the challenge that they answer is for the realm ${mixed.challengeRealm}.`,
        },
      ]
    if (rejected !== undefined)
      return [
        {
          ...base,
          text:
            `${sentence(asker)} rejected the credentials of ${client}${realm} ${times(rejected[1])} (${final.title}): ` +
            'the user name or the password is wrong, or the realm is not the one they are for.',
        },
      ]
    if (staleInRow >= provenCopies)
      return [
        {
          ...base,
          where: final.from,
          text:
            `${sentence(asker)} called the nonce of its own challenge${realm} stale ${times(staleInRow)} in a row ` +
            `(${final.title}), although ${client} had answered at once: servers that do not share their nonces can be ` +
            'behind its address.',
        },
      ]
    if (hasCredentials(request) && !outcomes.every(({ is }) => is === 'taken'))
      return [
        {
          ...base,
          severity: 'info',
          text:
            `${sentence(asker)} requested other credentials${realm} (${final.title}). The capture has no later request of ` +
            `${client}${describeOutdated(outcomes)}.`,
        },
      ]
    return [
      {
        ...base,
        text: `${sentence(asker)} requested credentials${realm} (${final.title}), and ${client} sent none${outcomes.length > 0 ? ' for it' : ''}.`,
      },
    ]
  })
}
