/** Waits until work settles, successfully or not, but not longer than a time limit. Never throws. */
export const waitWithLimit = async (milliseconds: number, work: Promise<unknown>): Promise<void> => {
  const timeLimit = new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
  await Promise.race([work.catch(() => {}), timeLimit])
}
