import type { DestinationKind } from './destination-advice.ts'
import type { ParsedArrow } from './ladder.ts'
import type { NetworkBlock } from './network-block.ts'
import { getHeader, type ParsedSipMessage } from './parser.ts'
import { findRedirect, type Redirect } from './redirects.ts'
import type { StatusSide } from './statuses.ts'
import { requestsNamed, type SipCall, type SipTransaction } from './transactions.ts'

/** A call that got a final error response, and what is known about it. Pure. */

/** The hop that sent a response. Behind a carrier, nothing is visible. */
export type RefusalHop = 'platform' | 'carrier' | 'client' | 'unknown'

/** The host that sent a response, as far as the call record names it. */
export interface Responder {
  hop: RefusalHop
  /** Begins a sentence, such as `Carrier Bluewave`. */
  name: string
  /** True if the platform sent the call to a carrier or a device. */
  isOutbound: boolean
  /** The kind of party that an outbound call was sent to. */
  kind: DestinationKind
}

export interface RefusedCall {
  response: ParsedSipMessage
  /** True if a response 18x preceded it: the called device rang, or a network played something. */
  rang: boolean
  /** From the first 180 to the response. Undefined if no 180 preceded it. */
  ringSeconds: number | undefined
  /** True if the call had been canceled. */
  isCanceled: boolean
  /** From the INVITE to the response. */
  seconds: number
  /** True if the INVITE had credentials. */
  hasCredentials: boolean
  /** States where a redirection leads. Undefined for other responses. */
  redirect?: Redirect | undefined
}

export interface Refusal {
  /** Continues a sentence about the host that sent the response. */
  explanation: string
  /** The reason phrase of the response, or an empty text. */
  phrase: string
  /** Sentences with the details of the response. Begins with a blank if it is not empty. */
  details: string
  /** Says what happened, without the status, if that differs from what the status alone says. */
  title: string | undefined
  side: StatusSide | 'unknown'
  advice: string
  /** RFC and section, or the name of another standard. */
  source: string
  /** True only if it is proven that a person, or a device by the settings of a person, rejected the call. */
  isDecided: boolean
  /** True if nothing is broken: the called party was busy or decided, or the call was canceled. */
  isOrdinary: boolean
  severity: 'bad' | 'warn'
  block: NetworkBlock | undefined
}

const secondsBetween = (one: ParsedArrow, later: ParsedArrow): number => Math.max(0, later.at - one.at) / 1e6

/** Returns what is known about the final error response of a transaction. */
export const toRefusedCall = (call: SipCall, transaction: SipTransaction, final: ParsedArrow): RefusedCall => {
  const { request, answers } = transaction
  const ringing = answers.find(({ message }) => message.status === 180)
  return {
    response: final.message,
    rang: answers.some(({ message: { status = 0 } }) => status >= 180 && status < 190),
    ringSeconds: ringing && secondsBetween(ringing, final),
    isCanceled: requestsNamed(call, 'CANCEL').some(({ request: { id } }) => id < final.id),
    seconds: secondsBetween(request, final),
    hasCredentials: ['authorization', 'proxy-authorization'].some(
      (name) => getHeader(request.message, name) !== undefined,
    ),
    redirect: findRedirect(call, transaction, final),
  }
}
