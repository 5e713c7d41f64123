/**
 * Waits until work settles, successfully or not, but not longer than a time limit. Never throws.
 *
 * A module of its own, because the entry chunk needs it and nothing else of this folder.
 */
export const waitWithLimit = async (milliseconds: number, work: Promise<unknown>): Promise<void> => {
  const timeLimit = new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
  await Promise.race([work.catch(() => {}), timeLimit])
}
