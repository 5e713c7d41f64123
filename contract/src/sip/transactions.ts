import { hostAt, type SipArrow, type SipLadder, type ParsedArrow, parsedArrows } from './ladder.ts'

/** Groups captured messages into transactions, and finds the caller and the called party (RFC 3261 §12, §17). Pure. */

/** A request on one hop, with its responses. */
export interface SipTransaction {
  request: ParsedArrow
  /** In chronological order. */
  answers: readonly ParsedArrow[]
  /** The first final response. */
  final: ParsedArrow | undefined
}

export interface SipCall {
  ladder: SipLadder
  /** All transactions except ACKs, in chronological order. */
  transactions: readonly SipTransaction[]
  /** INVITEs that begin a call, by the lane that sent them, in chronological order. */
  forwards: ReadonlyMap<number, readonly SipTransaction[]>
  acks: readonly ParsedArrow[]
  /** INVITEs that begin the call on its first hop. More than one if the server asked for credentials. */
  attempts: readonly SipTransaction[]
  /** The last element of `attempts`. */
  last: SipTransaction | undefined
  /** Lane indexes. */
  caller: number | undefined
  called: number | undefined
  /** Time of the last packet, in microseconds since the Unix epoch. */
  end: number
}

/** Returns when a message was last sent, retransmissions included, in microseconds since the Unix epoch. */
export const lastSeenAt = ({ at, again }: Pick<SipArrow, 'at' | 'again'>): number => again.at(-1) ?? at

const getTransactionKey = ({ message: { method, number, fromTag } }: ParsedArrow): string =>
  `${method} ${number} ${fromTag}`

interface MutableTransaction extends SipTransaction {
  answers: ParsedArrow[]
}

/**
 * Assigns each response to the request on the same hop. A host can respond from another of its ports (RFC 3261
 * §18.2.2).
 */
const groupTransactions = (arrows: readonly ParsedArrow[]): MutableTransaction[] => {
  const all: MutableTransaction[] = []
  const bySequence = new Map<string, MutableTransaction[]>()
  for (const arrow of arrows) {
    const key = getTransactionKey(arrow)
    const same = bySequence.get(key) ?? []
    if (arrow.message.status === undefined) {
      const transaction: MutableTransaction = { request: arrow, answers: [], final: undefined }
      all.push(transaction)
      same.push(transaction)
      bySequence.set(key, same)
      continue
    }
    const transaction =
      same.findLast(({ request }) => request.to === arrow.from && request.from === arrow.to) ??
      same.findLast(({ request }) => request.to === arrow.from)
    if (transaction === undefined) continue
    transaction.answers.push(arrow)
    if (arrow.message.status >= 200) transaction.final ??= arrow
  }
  return all
}

const isInitialInvite = ({ request: { message } }: SipTransaction): boolean =>
  message.method === 'INVITE' && message.toTag === ''

/** Returns the INVITEs that the recipient of this one forwarded before its final response, in chronological order. */
export const findForwards = ({ forwards }: Pick<SipCall, 'forwards'>, { request, final }: SipTransaction) =>
  (forwards.get(request.to) ?? []).filter(
    (other) =>
      other.request.to !== request.from &&
      other.request.id > request.id &&
      (final === undefined || other.request.id < final.id),
  )

/** Returns the INVITEs that begin a call, by the lane that sent them. */
const initialInvitesByLane = (transactions: readonly SipTransaction[]): Map<number, SipTransaction[]> => {
  const byLane = new Map<number, SipTransaction[]>()
  for (const transaction of transactions.filter(isInitialInvite)) {
    const { from } = transaction.request
    const others = byLane.get(from) ?? []
    others.push(transaction)
    byLane.set(from, others)
  }
  return byLane
}

/** Maximum number of hops that are followed: the initial value of Max-Forwards (RFC 3261 §8.1.1.6). */
const maxHops = 70

const findCalledLane = (call: Pick<SipCall, 'forwards'>, transaction: SipTransaction, hops = maxHops): number => {
  const forwards = hops > 0 ? findForwards(call, transaction) : []
  const next = forwards.find(({ final }) => (final?.message.status ?? 999) < 300) ?? forwards.at(-1)
  return next === undefined ? transaction.request.to : findCalledLane(call, next, hops - 1)
}

/** Groups the messages of a ladder into transactions, and finds the attempts and the parties of the call. */
export const toSipCall = (ladder: SipLadder): SipCall => {
  const parsed = parsedArrows(ladder)
  const transactions = groupTransactions(parsed.filter(({ message }) => message.method !== 'ACK'))
  const first = transactions.find(isInitialInvite)
  const attempts = transactions.filter(
    (one) => isInitialInvite(one) && one.request.from === first?.request.from && one.request.to === first.request.to,
  )
  const last = attempts.at(-1)
  const forwards = initialInvitesByLane(transactions)
  return {
    ladder,
    transactions,
    forwards,
    acks: parsed.filter(({ message }) => message.method === 'ACK'),
    attempts,
    last,
    caller: first?.request.from,
    called: last && findCalledLane({ forwards }, last),
    end: ladder.arrows.reduce((latest, arrow) => Math.max(latest, lastSeenAt(arrow)), 0),
  }
}

const getRole = ({ caller, called }: SipCall, lane: number): string | undefined =>
  lane === caller ? 'the caller' : lane === called ? 'the called party' : undefined

/**
 * Describes a host: `the caller (203.0.113.7:5060)`, `the called party (Front desk, 10.0.0.5:5060)`, `Proxy
 * (10.0.0.9:5060)`.
 */
export const describeParty = (call: SipCall, lane: number): string => {
  const role = getRole(call, lane)
  const { host, name } = call.ladder.lanes[lane] ?? { host: hostAt(call.ladder, lane), name: undefined }
  if (role === undefined) return name === undefined ? host : `${name} (${host})`
  return `${role} (${name === undefined ? '' : `${name}, `}${host})`
}

/** Describes a host that the sentence has already mentioned in full. */
export const describePartyBriefly = (call: SipCall, lane: number): string =>
  getRole(call, lane) ?? hostAt(call.ladder, lane)

/** Returns the transaction on the hop where a response originated, following the hops that forwarded it. */
export const findOrigin = (
  call: SipCall,
  transaction: SipTransaction,
  answer: ParsedArrow,
  hops = maxHops,
): SipTransaction => {
  if (hops === 0) return transaction
  const { status } = answer.message
  for (const forward of findForwards(call, transaction)) {
    const same = forward.answers.find((one) => one.message.status === status && one.id < answer.id)
    if (same !== undefined) return findOrigin(call, forward, same, hops - 1)
  }
  return transaction
}
