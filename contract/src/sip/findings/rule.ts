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
  /** Arrow IDs. */
  arrows: readonly number[]
  /** RFC and section, such as `RFC 3261 §15.1.1`. */
  source: string
}

export type SipRule = (call: SipCall) => readonly SipFinding[]

export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`)

export const arrowIds = (...arrows: readonly ({ id: number } | undefined)[]): number[] =>
  arrows.flatMap((arrow) => (arrow === undefined ? [] : [arrow.id]))
