const concurrency = 4

/**
 * Runs a request for each item, at most four at the same time. Returns the results in the order of the items. `onDone`
 * receives the number of items that are done.
 */
export const mapWithConcurrency = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
  onDone: (done: number) => void = () => {},
): Promise<Result[]> => {
  const results: Result[] = []
  let next = 0
  let done = 0
  const worker = async () => {
    while (next < items.length) {
      const at = next
      next += 1
      // `at` is below the length, so the item exists.
      results[at] = await work(items[at] as Item)
      done += 1
      onDone(done)
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  return results
}
