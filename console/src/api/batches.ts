import { ApiError, errorMessage } from './api-error.ts'

/** Work that takes several requests: in batches, and waiting while the server is busy. */

const retryDelayMs = 2000
const maxAttempts = 200

const sleep = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

/** Repeats a request as long as the server responds with 429 Too Many Requests. */
export const retryWhenBusy = async <Result>(work: () => Promise<Result>, waitMs = retryDelayMs): Promise<Result> => {
  for (let attempt = 1; ; attempt += 1)
    try {
      return await work()
    } catch (error) {
      const isBusy = error instanceof ApiError && error.status === 429
      if (!isBusy || attempt === maxAttempts) throw error
      await sleep(waitMs)
    }
}

/** Returns whether no further request can succeed, because the session has ended. */
export const endsSession = (error: unknown): boolean =>
  error instanceof ApiError && (error.kind === 'session-ended' || error.kind === 'unreachable')

/** Returns the message of a failure, for a report on several records. Throws an error that ends the session. */
export const failureReason = (error: unknown): string => {
  if (endsSession(error)) throw error
  return errorMessage(error)
}

/** Splits items into batches of at most `max`. */
export const chunk = <Item>(items: readonly Item[], max: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / max) }, (_, index) => items.slice(index * max, (index + 1) * max))
