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
import { arrowIds, type SipFinding, type SipRule, sentence, times } from './rule.ts'

/** Findings about credentials (RFC 3261 §22). Pure. */

interface Challenge {
  realm: string
  nonce: string
  isStale: boolean
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

const credentialsIn = ({ message }: ParsedArrow) =>
  ['authorization', 'proxy-authorization'].flatMap((name) =>
    headersNamed(message, name).map((value) => ({
      realm: scanParameter(value, 'realm') ?? '',
      nonce: scanParameter(value, 'nonce') ?? '',
    })),
  )

/** Returns whether a request contains credentials. */
export const hasCredentials = ({ message }: ParsedArrow): boolean =>
  message.headers.some(([name]) => name === 'authorization' || name === 'proxy-authorization')

/** The requests of one method that one host sent to another. */
interface Conversation {
  transactions: SipTransaction[]
  /** Realms whose credentials were rejected, with how often. */
  rejections: Map<string, number>
  /** Nonces that were offered and that have not been used with success. */
  nonces: Set<string>
}

/**
 * Counts credentials that were rejected: they answer the nonce of an earlier challenge of the realm, and the new
 * challenge does not say that this nonce is stale. A server may refuse a nonce that was used before, with or without
 * `stale` (RFC 7616 §3.3), and nothing is known of a nonce that was not captured.
 */
const countRejections = ({ rejections, nonces }: Conversation, transaction: SipTransaction): void => {
  const { request, final } = transaction
  const offered = final === undefined ? [] : challengesIn(final)
  for (const { realm, nonce } of credentialsIn(request)) {
    const isFresh = nonces.delete(`${realm} ${nonce}`)
    const again = offered.find((one) => one.realm === realm)
    if (isFresh && again?.isStale === false) rejections.set(realm, (rejections.get(realm) ?? 0) + 1)
  }
  for (const { realm, nonce } of offered) nonces.add(`${realm} ${nonce}`)
}

const groupByHop = ({ transactions }: SipCall): Conversation[] => {
  const byHop = new Map<string, Conversation>()
  for (const transaction of transactions) {
    const { request } = transaction
    const key = `${request.message.method} ${request.from} ${request.to}`
    const conversation: Conversation = byHop.get(key) ?? { transactions: [], rejections: new Map(), nonces: new Set() }
    byHop.set(key, conversation)
    conversation.transactions.push(transaction)
    countRejections(conversation, transaction)
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

/** Reports credentials that are rejected or missing, unless a later request was taken. RFC 3261 §22.1 to §22.3. */
export const authentication: SipRule = (call) => {
  const latestNumbers = findLatestNumbers(call)
  return groupByHop(call).flatMap(({ transactions, rejections }): SipFinding[] => {
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
      // A call does not need its other requests, such as a SUBSCRIBE.
      severity: beginsCall || request.message.method === 'REGISTER' ? 'bad' : 'warn',
      where: request.from,
      arrows: transactions.filter(isChallenged).flatMap((one) => arrowIds(one.request, one.final)),
      source: 'RFC 3261 §22.1, §22.2',
    } as const
    if (rejected !== undefined)
      return [
        {
          ...base,
          text:
            `${sentence(asker)} rejected the credentials of ${client}${realm} ${times(rejected[1])} (${final.title}): ` +
            'the user name or the password is wrong, or the realm is not the one they are for.',
        },
      ]
    if (hasCredentials(request))
      return [
        {
          ...base,
          severity: 'info',
          text:
            `${sentence(asker)} requested other credentials${realm} (${final.title}). The capture has no later request of ` +
            `${client}, and does not show the challenge that these answered, so they can be wrong or only outdated.`,
        },
      ]
    return [
      {
        ...base,
        text: `${sentence(asker)} requested credentials${realm} (${final.title}), and ${client} sent none.`,
      },
    ]
  })
}
