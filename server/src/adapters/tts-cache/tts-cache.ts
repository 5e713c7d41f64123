/** The synthesized prompts that jambonz caches, for one account or for all. */
export interface TtsCache {
  /** Counts the prompts. Throws `timed_out` if counting takes too long. */
  size(account_sid: string | null): Promise<number>
  /**
   * Removes the prompts and returns their number. Throws `timed_out` if it takes too long, when some of them have been
   * removed.
   */
  clear(account_sid: string | null): Promise<number>
}

/** Used without Redis: no prompts are cached. */
export const noTtsCache: TtsCache = {
  size: () => Promise.resolve(0),
  clear: () => Promise.resolve(0),
}
