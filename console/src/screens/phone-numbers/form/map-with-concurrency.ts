import { ApiError } from '../../../api/api-error.ts'

/** Many calls: so many at a time, and no more when the server asks for patience. */

const concurrency = 4
const patienceMs = 2000
const maxAttempts = 200

const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })

/** Asks again, later, for as long as it is too much at once. */
export const retryWhenBusy = async <Result>(work: () => Promise<Result>, waitMs = patienceMs): Promise<Result> => {
  for (let turn = 1; ; turn += 1)
    try {
      return await work()
    } catch (error) {
      const isTooMuch = error instanceof ApiError && error.status === 429
      if (!isTooMuch || turn === maxAttempts) throw error
      await pause(waitMs)
    }
}

/** What became of each, in their order. `onDone` is told how many are done. */
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
      // A place below the length holds an item.
      results[at] = await retryWhenBusy(() => work(items[at] as Item))
      done += 1
      onDone(done)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  return results
}

export const chunk = <Item>(items: readonly Item[], max: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / max) }, (_, lot) => items.slice(lot * max, (lot + 1) * max))
