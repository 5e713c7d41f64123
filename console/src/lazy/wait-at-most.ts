/** Waits for something, also for its failure, but no longer than so many milliseconds. */
export const waitAtMost = async (milliseconds: number, work: Promise<unknown>): Promise<void> => {
  const enough = new Promise((resolve) => {
    setTimeout(resolve, milliseconds)
  })
  await Promise.race([work.catch(() => {}), enough])
}
