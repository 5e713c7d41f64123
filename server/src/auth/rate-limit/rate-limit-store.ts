/** How often each caller has called in the window that his first call opened. */
export interface Rates {
  /** Counts one call. `count` is that of the window, this one included; `milliseconds` are left of it. */
  hit(caller: string, windowMilliseconds: number): Promise<{ count: number; milliseconds: number }>
}
