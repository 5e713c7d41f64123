import { hostAt, type SipArrow, type SipLadder, type ToldArrow, toldArrows } from './sip-ladder.ts'

/** The transactions of a capture, and who called whom in it (RFC 3261 §12, §17). Pure. */

/** A request on one hop, with what was answered there. */
export interface SipTransaction {
  request: ToldArrow
  /** in order of time */
  answers: readonly ToldArrow[]
  /** the first that is no provisional one */
  final: ToldArrow | undefined
}

export interface SipCall {
  ladder: SipLadder
  /** all but ACKs, in order of time */
  transactions: readonly SipTransaction[]
  acks: readonly ToldArrow[]
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

const sequenceOf = ({ message: { method, number, fromTag } }: ToldArrow): string => `${method} ${number} ${fromTag}`

interface Growing extends SipTransaction {
  answers: ToldArrow[]
}

/** An answer goes back on its hop; a host may be answered at another of its ports (RFC 3261 §18.2.2). */
const transactionsOf = (arrows: readonly ToldArrow[]): Growing[] => {
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

/** The INVITEs that whoever got this one sent on, while it was not answered for good. */
export const forwardsOf = ({ transactions }: Pick<SipCall, 'transactions'>, { request, final }: SipTransaction) =>
  transactions.filter(
    (other) =>
      isInitialInvite(other) &&
      other.request.from === request.to &&
      other.request.to !== request.from &&
      other.request.id > request.id &&
      (final === undefined || other.request.id < final.id),
  )

const calledBy = (call: Pick<SipCall, 'transactions'>, transaction: SipTransaction): number => {
  const forwards = forwardsOf(call, transaction)
  const next = forwards.find(({ final }) => (final?.message.status ?? 999) < 300) ?? forwards.at(-1)
  return next === undefined ? transaction.request.to : calledBy(call, next)
}

export const callOf = (ladder: SipLadder): SipCall => {
  const told = toldArrows(ladder)
  const transactions = transactionsOf(told.filter(({ message }) => message.method !== 'ACK'))
  const first = transactions.find(isInitialInvite)
  const attempts = transactions.filter(
    (one) => isInitialInvite(one) && one.request.from === first?.request.from && one.request.to === first.request.to,
  )
  const last = attempts.at(-1)
  return {
    ladder,
    transactions,
    acks: told.filter(({ message }) => message.method === 'ACK'),
    attempts,
    last,
    caller: first?.request.from,
    called: last && calledBy({ transactions }, last),
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

/** From where an answer comes: who did not just pass it on. */
export const originOf = (call: SipCall, transaction: SipTransaction, answer: ToldArrow): SipTransaction => {
  const { status } = answer.message
  const below = forwardsOf(call, transaction)
    .map((forward) => ({
      forward,
      same: forward.answers.find((one) => one.message.status === status && one.id < answer.id),
    }))
    .find(({ same }) => same !== undefined)
  return below?.same === undefined ? transaction : originOf(call, below.forward, below.same)
}
