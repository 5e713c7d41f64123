import { ApiError } from '../../../api/api-error.ts'

/** Runs many requests with limited concurrency and waits when the server is busy. */

const concurrency = 4
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

/** Returns the results in the order of the items. `onDone` receives the number of items that are done. */
export const mapWithConcurrency = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  onDone: (done: number) => void,
): Promise<Result[]> => {
  const results: Result[] = []
  let next = 0
  let done = 0
  const worker = async () => {
    while (next < items.length) {
      const at = next
      next += 1
      // `at` is below the length, so the item exists.
      results[at] = await retryWhenBusy(() => work(items[at] as Item))
      done += 1
      onDone(done)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  return results
}

export const chunk = <Item>(items: readonly Item[], max: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / max) }, (_, index) => items.slice(index * max, (index + 1) * max))
