/** The prompts that the platform's components keep once they are synthesized; of one account, or all of them. */
export interface TtsCache {
  /** How many there are. Refused with `timed_out` where they cannot be counted in time. */
  size(account_sid: string | null): Promise<number>
  /** Removes them, and answers how many there were; refused likewise, some of them then being gone. */
  clear(account_sid: string | null): Promise<number>
}
