import type { SipCall } from '../transactions.ts'

/** What a rule found in a call: a sentence, and what it rests on. */
export interface SipFinding {
  /** bad: it broke the call, or a part of it; warn: it may; good and info: how the call went */
  severity: 'bad' | 'warn' | 'good' | 'info'
  text: string
  /** place of the lane where one would look next */
  where?: number | undefined
  /** place of the leg of which it is said; undefined where it is said of the whole */
  leg?: number
  /** ids of arrows */
  arrows: readonly number[]
  /** as `RFC 3261 §15.1.1` */
  source: string
}

export type SipRule = (call: SipCall) => readonly SipFinding[]

export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

export const times = (count: number): string => (count === 1 ? 'once' : count === 2 ? 'twice' : `${count} times`)

export const arrowIds = (...arrows: readonly ({ id: number } | undefined)[]): number[] =>
  arrows.flatMap((arrow) => (arrow === undefined ? [] : [arrow.id]))
