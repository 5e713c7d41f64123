import { hostAt, type SipArrow, type SipLadder, type ParsedArrow, parsedArrows } from './ladder.ts'

/** The transactions of a capture, and who called whom in it (RFC 3261 §12, §17). Pure. */

/** A request on one hop, with what was answered there. */
export interface SipTransaction {
  request: ParsedArrow
  /** in order of time */
  answers: readonly ParsedArrow[]
  /** the first that is no provisional one */
  final: ParsedArrow | undefined
}

export interface SipCall {
  ladder: SipLadder
  /** all but ACKs, in order of time */
  transactions: readonly SipTransaction[]
  /** INVITEs that begin a call, by the lane that sent them, in order of time */
  forwards: ReadonlyMap<number, readonly SipTransaction[]>
  acks: readonly ParsedArrow[]
  /** the INVITEs that begin the call on its first hop: more than one where credentials were asked for */
  attempts: readonly SipTransaction[]
  /** the last of these */
  last: SipTransaction | undefined
  /** places of lanes */
  caller: number | undefined
  called: number | undefined
  /** when the last packet was seen, epoch microseconds */
  end: number
}

export const lastAt = ({ at, again }: Pick<SipArrow, 'at' | 'again'>): number => again.at(-1) ?? at

const sequenceOf = ({ message: { method, number, fromTag } }: ParsedArrow): string => `${method} ${number} ${fromTag}`

interface Growing extends SipTransaction {
  answers: ParsedArrow[]
}

/** An answer goes back on its hop; a host may be answered at another of its ports (RFC 3261 §18.2.2). */
const transactionsOf = (arrows: readonly ParsedArrow[]): Growing[] => {
  const all: Growing[] = []
  const bySequence = new Map<string, Growing[]>()
  for (const arrow of arrows) {
    const key = sequenceOf(arrow)
    const same = bySequence.get(key) ?? []
    if (arrow.message.status === undefined) {
      const transaction: Growing = { request: arrow, answers: [], final: undefined }
      all.push(transaction)
      same.push(transaction)
      bySequence.set(key, same)
      continue
    }
    const answered =
      same.findLast(({ request }) => request.to === arrow.from && request.from === arrow.to) ??
      same.findLast(({ request }) => request.to === arrow.from)
    if (answered === undefined) continue
    answered.answers.push(arrow)
    if (arrow.message.status >= 200) answered.final ??= arrow
  }
  return all
}

const isInitialInvite = ({ request: { message } }: SipTransaction): boolean =>
  message.method === 'INVITE' && message.toTag === ''

/** Returns the INVITEs that the recipient of this one sent on before it gave a final answer, in order of time. */
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

/** The number of hops that a request is followed over: the initial value of Max-Forwards (RFC 3261 §8.1.1.6). */
const maxHops = 70

const calledBy = (call: Pick<SipCall, 'forwards'>, transaction: SipTransaction, hops = maxHops): number => {
  const forwards = hops > 0 ? findForwards(call, transaction) : []
  const next = forwards.find(({ final }) => (final?.message.status ?? 999) < 300) ?? forwards.at(-1)
  return next === undefined ? transaction.request.to : calledBy(call, next, hops - 1)
}

export const toSipCall = (ladder: SipLadder): SipCall => {
  const told = parsedArrows(ladder)
  const transactions = transactionsOf(told.filter(({ message }) => message.method !== 'ACK'))
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
    acks: told.filter(({ message }) => message.method === 'ACK'),
    attempts,
    last,
    caller: first?.request.from,
    called: last && calledBy({ forwards }, last),
    end: ladder.arrows.reduce((latest, arrow) => Math.max(latest, lastAt(arrow)), 0),
  }
}

const roleOf = ({ caller, called }: SipCall, place: number): string | undefined =>
  place === caller ? 'the caller' : place === called ? 'the called party' : undefined

/** `the caller (203.0.113.7:5060)`, `the called party (Front desk, 10.0.0.5:5060)`, `Proxy (10.0.0.9:5060)`. */
export const who = (call: SipCall, place: number): string => {
  const role = roleOf(call, place)
  const { host, name } = call.ladder.lanes[place] ?? { host: hostAt(call.ladder, place), name: undefined }
  if (role === undefined) return name === undefined ? host : `${name} (${host})`
  return `${role} (${name === undefined ? '' : `${name}, `}${host})`
}

/** Whom a sentence has named before. */
export const whoBriefly = (call: SipCall, place: number): string => roleOf(call, place) ?? hostAt(call.ladder, place)

/** Returns the transaction on the hop where an answer originated, following the hops that passed it on. */
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
