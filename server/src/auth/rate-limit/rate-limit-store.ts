/** Counts the requests of each caller in a window that starts with the caller's first request. */
export interface Rates {
  /**
   * Counts a request. Returns the count in the window, including this request, and the milliseconds that remain of the
   * window.
   */
  hit(caller: string, windowMs: number): Promise<{ count: number; milliseconds: number }>
}
