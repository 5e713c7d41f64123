import { sha256 } from '../../lib/sha256.ts'

/** Counters with a time to live. */
export interface Counters {
  /**
   * Returns the count, or 0 if there is none or it has expired.
   *
   * @param seconds the time to live that `increment` uses: no counter may outlive it, even after the system clock was
   * set back
   */
  read(counter: string, seconds: number): Promise<number>
  /** Increments a counter, renews its time to live, and returns the new count. */
  increment(counter: string, seconds: number): Promise<number>
  /** Subtracts one, but never goes below 0. */
  decrement(counter: string): Promise<void>
  clear(counter: string): Promise<void>
  /** Stores the counts that are still in memory. */
  close?(): Promise<void>
}

/**
 * Counts an action and returns whether it is still within `max` per `seconds`. Actions beyond the limit do not extend
 * the time to live.
 */
export const tryConsume = async (
  counters: Counters,
  { counter, max, seconds }: { counter: string; max: number; seconds: number },
): Promise<boolean> =>
  (await counters.read(counter, seconds)) < max && (await counters.increment(counter, seconds)) <= max

/**
 * Returns the name under which actions for a mailbox are counted: a hash, so that counters contain no addresses.
 * Addresses that differ only in case or in a `+tag` (RFC 5233) usually reach the same mailbox and count as one.
 */
export const normalizeMailbox = (email: string): string => {
  const at = email.lastIndexOf('@')
  const [name = ''] = email.slice(0, at).split('+')
  return sha256(`${name}${email.slice(at)}`.toLowerCase())
}
