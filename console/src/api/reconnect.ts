/** Repeats requests while the server does not respond, and tells the console that it waits (ERRORS-06). */

/** The console waits this long for the server before it ends the session. */
export const reconnectMs = 60_000

const maxPauseMs = 1500

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const hasName = (error: unknown, name: string): boolean => error instanceof DOMException && error.name === name
export const isTimeout = (error: unknown): boolean => hasName(error, 'TimeoutError')
export const isAbort = (error: unknown): boolean => hasName(error, 'AbortError')

const listeners = new Set<() => void>()
let waitingRequests = 0

const changeWaiting = (by: number): void => {
  waitingRequests += by
  for (const listener of listeners) listener()
}

/** Returns whether a request waits for the server to respond again. */
export const isReconnecting = (): boolean => waitingRequests > 0

/** Calls `listener` when `isReconnecting` may have changed. Returns a function that removes the listener. */
export const subscribeToReconnecting = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/**
 * Sends a request, and repeats it until there is a response.
 * @param retryForMs how long to repeat after the first failure
 * @throws the last error, or the first timeout or abort
 */
export const sendUntilResponse = async (
  attempt: () => Promise<Response>,
  retryForMs = reconnectMs,
): Promise<Response> => {
  let deadline: number | undefined
  try {
    for (let failures = 0; ; failures += 1)
      try {
        return await attempt()
      } catch (error) {
        if (isTimeout(error) || isAbort(error)) throw error
        if (deadline === undefined) {
          deadline = Date.now() + retryForMs
          changeWaiting(1)
        }
        if (Date.now() >= deadline) throw error
        await pause(Math.min(300 * 2 ** failures, maxPauseMs))
      }
  } finally {
    if (deadline !== undefined) changeWaiting(-1)
  }
}
