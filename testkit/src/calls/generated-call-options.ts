import type { MediaErrorName } from './generated-media-errors.ts'
import type { MediaOptions } from './generated-sessions.ts'

/** Options of a generated call, which a property-based test chooses. */

/** Deviations from a valid call, each of which breaks something. */
export const faults = [
  'refused',
  'media refused',
  'silent',
  'no ACK',
  'error without ACK',
  'no PRACK',
  'wrong password',
  'no credentials',
  'private contact',
  'slow',
  'no description in the answer',
  'description in an unreliable response only',
  'ACK without an answer',
  're-INVITE without an answer',
  'UPDATE without an answer',
  'BYE refused',
  'BYE not answered',
  'dialog lost',
  'digits refused',
  'transfer refused',
  'transfer failed',
  'no media received',
  'no packets received',
  'abnormal end',
  'session timer',
] as const
export type Fault = (typeof faults)[number]

export const middles = [
  'hold',
  'silent hold',
  'hold by address',
  'hold by both',
  'refresh',
  'update',
  'update of media',
  'codecs',
  'move',
  'video',
  'offerless',
  'fax',
  'fax refused',
  'change refused',
  'digits',
  'glare',
  'options',
  'transfer',
  'minimum',
] as const
export type Middle = (typeof middles)[number]

export interface CallOptions {
  hasProxy: boolean
  /** Capture agents: their IDs are known, or not. */
  agents: 'one' | 'two' | 'unknown'
  /** Milliseconds by which the clock of the second agent differs. */
  skew: number
  media: MediaOptions
  authentication: 'none' | 'challenge' | 'stale' | 'renewed' | 'two realms'
  before: 'none' | 'redirect' | 'overloaded' | 'silent'
  isForked: boolean
  ringing: readonly ('180 Ringing' | '183 Session Progress')[]
  /** A reliable response with media, and what follows it before the call is answered (RFC 3262, RFC 3311). */
  early: 'none' | 'reliable' | 'update' | 'offer in PRACK'
  /** True if the answer of the call repeats the media of a reliable response. */
  repeatsMedia: boolean
  isOfferDelayed: boolean
  /** The side that refreshes the session (RFC 4028). */
  refresher: 'none' | 'uac' | 'uas'
  /** True if the caller sends only music at first, and opens the call later (RFC 3264 §8.4). */
  beginsOnHold: boolean
  middle: readonly Middle[]
  end: 'caller' | 'called' | 'both' | 'canceled' | 'open'
  /** Further headers of the INVITE, such as a signature, and of the responses before the final one. */
  headers?: { invite?: readonly string[]; ringing?: readonly string[] }
  fault?: Fault
  /** The response that refuses the call, with its headers. */
  refusal?: readonly [status: string, ...headers: string[]]
  /** A fault of the media in the first offer and answer, or in those of a change. */
  mediaError?: { name: MediaErrorName; where: 'first' | 'INVITE' | 'UPDATE' }
}
