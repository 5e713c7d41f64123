import type { BlockContact } from '../network-block.ts'
import type { RefusedCall } from '../refused-call.ts'
import type { SipCall } from '../transactions.ts'

/** A statement of a rule about a call, with the messages that support it. */
export interface SipFinding {
  /** `bad` broke the call or a part of it, `warn` can break it, and `good` and `info` describe how the call went. */
  severity: 'bad' | 'warn' | 'good' | 'info'
  text: string
  /** Index of the lane to investigate next. */
  where?: number | undefined
  /** Index of the leg. Undefined if the finding concerns the call as a whole. */
  leg?: number
  /**
   * Indexes of the legs that a comparison of legs describes: the one that was not answered, and the one that was rejected
   * as a result. Undefined for other findings.
   */
  about?: readonly number[]
  /** Arrow IDs. */
  arrows: readonly number[]
  /** RFC and section, such as `RFC 3261 §15.1.1`. */
  source: string
  /** The refusal that ended the call, and the lane of the host that sent it. */
  refused?: RefusedCall & { by: number }
  /** Seconds after which the call was canceled, if it had no response but 100 Trying. */
  silentSeconds?: number
  /** True if the host in `where` never answered the INVITE that another leg waited for. */
  isSilence?: boolean
  /** Says what to change about a problem that is certain, whatever its effect was. The host in `where` has to do it. */
  advice?: string
  /** Seconds for which a call that was canceled had rung, and since it began. */
  ringing?: { seconds: number; sinceBegin: number }
  /** States that a reliable response was not confirmed until the call was rejected, without a full stop, and what to do. */
  unconfirmed?: SipEnding
  /** States how an answered call ended, if the messages say more than who hung up. */
  ending?: SipEnding
  /** Contacts for objections against a block, which the text contains too. */
  contacts?: readonly BlockContact[]
}

/** Says how a call ended, for the headline of its verdict. */
export interface SipEnding {
  /** A sentence. */
  text: string
  advice: string
}

export type SipRule = (call: SipCall) => readonly SipFinding[]

/** Returns a text with its first letter in upper case. */
export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Formats a count: `once`, `twice`, `3 times`. */
export const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`)

/** Returns the ids of the arrows that exist, for `SipFinding.arrows`. */
export const arrowIds = (...arrows: readonly ({ id: number } | undefined)[]): number[] =>
  arrows.flatMap((arrow) => (arrow === undefined ? [] : [arrow.id]))

/**
 * Number of copies after which a message is known to have no response. One copy is normal: the response was under way, and
 * may be missing in the capture.
 */
export const provenCopies = 2

/** Returns whether a request changes or refreshes the session, if it is sent within a dialog (RFC 3261 §14, RFC 3311). */
export const isSessionChange = (method: string): boolean => method === 'INVITE' || method === 'UPDATE'

/** Names a request in a dialog. */
export const nameRequest = (method: string): string => (method === 'INVITE' ? 're-INVITE' : method)
