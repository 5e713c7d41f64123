import { sha256 } from '../../lib/sha256.ts'

/** Counters that expire by themselves. */
export interface Counters {
  /**
   * Returns the count, or 0 if there is none or it has expired.
   *
   * @param seconds the time to live with which it is incremented: no counter may outlive it, even after the system
   * clock was set back
   */
  read(counter: string, seconds: number): Promise<number>
  /** Adds one, renews the time to live, and returns the new count. */
  increment(counter: string, seconds: number): Promise<number>
  /** Takes one back, down to 0. */
  decrement(counter: string): Promise<void>
  clear(counter: string): Promise<void>
  /** Nothing is counted any more; what was is stored. */
  close?(): Promise<void>
}

/** Whether it may be done once more, so many times within seconds. What comes once it is enough does not prolong that. */
export const tryConsume = async (
  counters: Counters,
  { counter, max, seconds }: { counter: string; max: number; seconds: number },
): Promise<boolean> =>
  (await counters.read(counter, seconds)) < max && (await counters.increment(counter, seconds)) <= max

/**
 * Returns the name under which actions for a mailbox are counted: a hash, so that counters hold no addresses. Addresses
 * that differ only in case or in a `+tag` (RFC 5233) usually reach the same mailbox and count as one.
 */
export const normalizeMailbox = (email: string): string => {
  const at = email.lastIndexOf('@')
  const [name = ''] = email.slice(0, at).split('+')
  return sha256(`${name}${email.slice(at)}`.toLowerCase())
}
