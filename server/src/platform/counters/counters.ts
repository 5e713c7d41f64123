import { sha256 } from '../../sha256.ts'

/** Counters that run out by themselves. */
export interface Counters {
  /** The count, 0 when there is none or it has run out. */
  read(counter: string): Promise<number>
  /** Adds one and renews the time to live; answers the new count. */
  increment(counter: string, seconds: number): Promise<number>
  /** Takes one back, down to 0. */
  decrement(counter: string): Promise<void>
  clear(counter: string): Promise<void>
  /** Nothing is counted any more; what was is stored. */
  close?(): Promise<void>
}

/** Whether it may be done once more, so many times within seconds. What comes once it is enough does not prolong that. */
export const mayStill = async (
  counters: Counters,
  { counter, most, seconds }: { counter: string; most: number; seconds: number },
): Promise<boolean> => (await counters.read(counter)) < most && (await counters.increment(counter, seconds)) <= most

/** A name for a mailbox, whose address a counter need not hold. */
export const mailboxOf = (email: string): string => sha256(email.toLowerCase())
