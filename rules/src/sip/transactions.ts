import { addToGroup, groupBy } from '../lib/groups.ts'
import { hostAt, type ParsedArrow, parsedArrows, type SipArrow, type SipLadder } from './ladder.ts'

/** Groups captured messages into transactions, and finds the caller and the called party (RFC 3261 §12, §17). Pure. */

/** A request on one hop, with its responses. */
export interface SipTransaction {
  request: ParsedArrow
  /** In causal order. */
  answers: readonly ParsedArrow[]
  /** The first final response, or of several 2xx responses to an INVITE the one that the caller keeps (RFC 3261 §13.2.2.4). */
  final: ParsedArrow | undefined
}

export interface SipCall {
  ladder: SipLadder
  /** All transactions except ACKs, in causal order. */
  transactions: readonly SipTransaction[]
  byMethod: ReadonlyMap<string, readonly SipTransaction[]>
  /** INVITEs that begin a call, by the lane that sent them, in causal order. */
  forwards: ReadonlyMap<number, readonly SipTransaction[]>
  acks: readonly ParsedArrow[]
  /**
   * INVITEs that begin the call and that the caller sent: repeated with credentials, or to other targets (RFC 3261
   * §8.1.3.4, §8.1.3.5, RFC 3263 §4.3).
   */
  attempts: readonly SipTransaction[]
  /** The attempt that decides what became of the call: the one that was answered, or the last one. */
  last: SipTransaction | undefined
  /**
   * Part of the call that the capture misses if it has no answered attempt: a message shows that the call was answered,
   * or that the caller sent another INVITE. Then the last captured attempt decides nothing.
   */
  missing: { what: 'answer' | 'attempt'; proof: ParsedArrow } | undefined
  /** Lane indexes. */
  caller: number | undefined
  called: number | undefined
  /** Time of the last packet, in microseconds since the Unix epoch. */
  end: number
}

/** Returns when a message was last sent, retransmissions included, in microseconds since the Unix epoch. */
export const lastSeenAt = ({ at, again }: Pick<SipArrow, 'at' | 'again'>): number => again.at(-1) ?? at

/** Returns the status code of a response, or 0 without one. */
export const getStatus = (answer: ParsedArrow | undefined): number => answer?.message.status ?? 0

/** Returns whether the final response of a transaction is a success (2xx). */
export const isAnswered = ({ final }: SipTransaction): boolean => getStatus(final) >= 200 && getStatus(final) < 300

/** Returns whether the final response of a transaction asks for credentials. */
export const isChallenged = ({ final }: SipTransaction): boolean => getStatus(final) === 401 || getStatus(final) === 407

/** Returns whether a response says that the request is being worked on. 100 says nothing about the called party. */
export const isProvisional = ({ message: { status = 0 } }: ParsedArrow): boolean => status > 100 && status < 200

/** Returns whether a transaction begins a call. */
export const isInitialInvite = ({ request: { message } }: SipTransaction): boolean =>
  message.method === 'INVITE' && message.toTag === ''

/** Returns the transactions of a call whose request has this method. */
export const requestsNamed = ({ byMethod }: Pick<SipCall, 'byMethod'>, method: string): readonly SipTransaction[] =>
  byMethod.get(method) ?? []

const getTransactionKey = ({ message: { method, number, fromTag } }: ParsedArrow): string =>
  `${method} ${number} ${fromTag}`

interface MutableTransaction extends SipTransaction {
  answers: ParsedArrow[]
}

/** The request on the hop of a response. A host can respond from another of its ports (RFC 3261 §18.2.2). */
const onSameHop = (
  candidates: readonly MutableTransaction[] | undefined,
  answer: ParsedArrow,
): MutableTransaction | undefined =>
  candidates?.findLast(({ request }) => request.to === answer.from && request.from === answer.to) ??
  candidates?.findLast(({ request }) => request.to === answer.from)

/**
 * Groups requests and responses: a response has the branch and the CSeq of its request (RFC 3261 §17.1.3). Time stamps do
 * not decide, because those of several capture agents differ. Stacks that change the branch are matched by CSeq alone.
 */
const groupTransactions = (arrows: readonly ParsedArrow[]): MutableTransaction[] => {
  const all: MutableTransaction[] = []
  const byKey = new Map<string, MutableTransaction[]>()
  for (const arrow of arrows) {
    const sequence = getTransactionKey(arrow)
    const exact = `${sequence} ${arrow.message.branches[0] ?? ''}`
    if (arrow.message.status === undefined) {
      const transaction: MutableTransaction = { request: arrow, answers: [], final: undefined }
      all.push(transaction)
      for (const key of [sequence, exact]) addToGroup(byKey, key, transaction)
      continue
    }
    const transaction = onSameHop(byKey.get(exact), arrow) ?? onSameHop(byKey.get(sequence), arrow)
    if (transaction === undefined) continue
    transaction.answers.push(arrow)
    if (arrow.message.status >= 200) transaction.final ??= arrow
  }
  return all
}

/** Returns whether a request belongs to the dialog that this answer to an INVITE began (RFC 3261 §12). */
export const isInDialog = ({ message }: ParsedArrow, answer: ParsedArrow): boolean => {
  const { fromTag, toTag } = answer.message
  return (
    (message.fromTag === fromTag && message.toTag === toTag) || (message.fromTag === toTag && message.toTag === fromTag)
  )
}

/** Returns when the dialog of an answer to an INVITE was hung up: the position of the BYE, or infinity. */
type EndFinder = (answer: ParsedArrow | undefined) => number

const findEnds = (byes: readonly SipTransaction[]): EndFinder => {
  const ends = new Map<string, number>()
  for (const { request } of byes) {
    const { fromTag, toTag } = request.message
    for (const tags of [`${fromTag} ${toTag}`, `${toTag} ${fromTag}`]) ends.set(tags, ends.get(tags) ?? request.id)
  }
  return (answer) => ends.get(`${answer?.message.fromTag} ${answer?.message.toTag}`) ?? Number.POSITIVE_INFINITY
}

/** Returns the element that ends last. Of several answers, the caller keeps one, and hangs up all others. */
const lastToEnd = <One>(all: readonly One[], getEnd: (one: One) => number): One | undefined =>
  all.reduce<One | undefined>(
    (best, one) => (best !== undefined && getEnd(best) >= getEnd(one) ? best : one),
    undefined,
  )

/** Chooses the answer that the caller keeps if several devices answered the same INVITE. */
const chooseAnswers = (invites: readonly MutableTransaction[], getEnd: EndFinder): void => {
  for (const transaction of invites) {
    if (!isAnswered(transaction)) continue
    transaction.final = lastToEnd(
      transaction.answers.filter((one) => getStatus(one) >= 200 && getStatus(one) < 300),
      getEnd,
    )
  }
}

/**
 * Returns whether a host can have forwarded a request as another one. A proxy adds a Via to those of the request (RFC 3261
 * §16.6, step 8), also if it sends the request back, as in a loop or a spiral. Hosts that write a Via list of their own
 * send nothing back.
 */
const canForward = (request: ParsedArrow, { message, to }: ParsedArrow): boolean => {
  const [, ...before] = message.branches
  const { branches } = request.message
  return before.length > 0 && before.length === branches.length && !branches.includes('')
    ? before.every((branch, hop) => branch === branches[hop])
    : to !== request.from
}

/** Returns the INVITEs that the recipient of this one forwarded before its final response, in causal order. */
export const findForwards = ({ forwards }: Pick<SipCall, 'forwards'>, { request, final }: SipTransaction) =>
  (forwards.get(request.to) ?? []).filter(
    (other) =>
      canForward(request, other.request) &&
      other.request.id > request.id &&
      (final === undefined || other.request.id < final.id),
  )

/** Maximum number of hops that are followed: the initial value of Max-Forwards (RFC 3261 §8.1.1.6). */
const maxHops = 70

const findCalledLane = (call: Pick<SipCall, 'forwards'>, transaction: SipTransaction, hops = maxHops): number => {
  const forwards = hops > 0 ? findForwards(call, transaction) : []
  const tag = (transaction.final ?? transaction.answers.findLast(isProvisional))?.message.toTag
  const next =
    forwards.find(isAnswered) ??
    forwards.find(({ answers }) => tag !== '' && answers.some(({ message }) => message.toTag === tag)) ??
    forwards.at(-1)
  return next === undefined ? transaction.request.to : findCalledLane(call, next, hops - 1)
}

/**
 * Returns the attempt that decides the call: the one that was answered, or the last one. If the capture lacks the
 * caller's own INVITE, an answered one that a proxy forwarded shows what became of it.
 */
const findDecisive = (
  initialInvites: readonly SipTransaction[],
  attempts: readonly SipTransaction[],
  getEnd: EndFinder,
): SipTransaction | undefined => {
  const tag = attempts[0]?.request.message.fromTag
  return (
    lastToEnd(attempts.filter(isAnswered), ({ final }) => getEnd(final)) ??
    initialInvites.find((one) => isAnswered(one) && one.request.message.fromTag === tag) ??
    attempts.at(-1)
  )
}

/** Requests that with a To tag are sent only in a dialog that was answered, or that confirm a response (RFC 3261 §12.2). */
const dialogMethods = new Set(['ACK', 'BYE', 'INFO', 'REFER', 'NOTIFY', 'INVITE'])

/** Returns a message of an answered dialog, of the caller's own tag. */
const findDialog = (parsed: readonly ParsedArrow[], attempts: readonly SipTransaction[]): ParsedArrow | undefined => {
  const tags = new Set(attempts.map(({ request }) => request.message.fromTag))
  // A request in an early dialog has the tag of a provisional response, and an ACK also confirms a refusal.
  const isResponse = ({ message: { method, status = 0 } }: ParsedArrow) => method === 'INVITE' && status > 100
  const respondedTags = new Set(parsed.filter(isResponse).map(({ message }) => message.toTag))
  const isFinalMissing = attempts.some(({ final }) => final === undefined)
  const isHungUp = parsed.some(({ message }) => message.method === 'BYE' && message.status === undefined)
  return parsed.find(({ message }) => {
    const { method, status, fromTag, toTag } = message
    if (status !== undefined) return method === 'INVITE' && status >= 200 && status < 300 && tags.has(fromTag)
    const [own, remote] = tags.has(fromTag) ? [fromTag, toTag] : [toTag, fromTag]
    if (!tags.has(own) || remote === '' || !dialogMethods.has(method)) return false
    // The called party hangs up only what was answered (RFC 3261 §15), and an ACK before a BYE confirms the answer.
    const isProof = method === 'BYE' ? own !== fromTag : method === 'ACK' && isFinalMissing && isHungUp
    return isProof || !respondedTags.has(remote)
  })
}

/** Returns the method whose CSeq number a message repeats: an ACK and a CANCEL have that of their INVITE. */
export const getSequenceMethod = ({ message: { method } }: ParsedArrow): string =>
  method === 'ACK' || method === 'CANCEL' ? 'INVITE' : method

const findMissing = (
  parsed: readonly ParsedArrow[],
  attempts: readonly SipTransaction[],
  { request }: SipTransaction,
): SipCall['missing'] => {
  const dialog = findDialog(parsed, attempts)
  if (dialog !== undefined) return { what: 'answer', proof: dialog }
  const later = parsed.find(
    (arrow) =>
      getSequenceMethod(arrow) === 'INVITE' &&
      arrow.message.fromTag === request.message.fromTag &&
      arrow.message.number > request.message.number,
  )
  return later && { what: 'attempt', proof: later }
}

/** Groups the messages of a ladder into transactions, and finds the attempts and the parties of the call. */
export const toSipCall = (ladder: SipLadder): SipCall => {
  const parsed = parsedArrows(ladder)
  const transactions = groupTransactions(parsed.filter(({ message }) => message.method !== 'ACK'))
  const byMethod = groupBy(transactions, ({ request }) => request.message.method)
  const initialInvites = transactions.filter(isInitialInvite)
  const forwards = groupBy(initialInvites, ({ request }) => request.from)
  const caller = initialInvites[0]?.request.from
  const attempts = caller === undefined ? [] : (forwards.get(caller) ?? [])
  const getEnd = findEnds(byMethod.get('BYE') ?? [])
  chooseAnswers(byMethod.get('INVITE') ?? [], getEnd)
  const last = findDecisive(initialInvites, attempts, getEnd)
  return {
    ladder,
    transactions,
    byMethod,
    forwards,
    acks: parsed.filter(({ message }) => message.method === 'ACK'),
    attempts,
    last,
    missing: last === undefined || isAnswered(last) ? undefined : findMissing(parsed, attempts, last),
    caller,
    called: last && findCalledLane({ forwards }, last),
    end: ladder.arrows.reduce((latest, arrow) => Math.max(latest, lastSeenAt(arrow)), 0),
  }
}

const getRole = ({ caller, called }: SipCall, lane: number): string | undefined =>
  lane === caller ? 'the caller' : lane === called ? 'the called party' : undefined

/** Describes a host without its role in a call: `Proxy (10.0.0.9:5060)`. */
export const describeHost = (ladder: SipLadder, lane: number): string => {
  const name = ladder.lanes[lane]?.name
  return name === undefined ? hostAt(ladder, lane) : `${name} (${hostAt(ladder, lane)})`
}

/**
 * Describes a host: `the caller (203.0.113.7:5060)`, `the called party (Front desk, 10.0.0.5:5060)`, `Proxy
 * (10.0.0.9:5060)`.
 */
export const describeParty = (call: SipCall, lane: number): string => {
  const role = getRole(call, lane)
  if (role === undefined) return describeHost(call.ladder, lane)
  const name = call.ladder.lanes[lane]?.name
  return `${role} (${name === undefined ? '' : `${name}, `}${hostAt(call.ladder, lane)})`
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
