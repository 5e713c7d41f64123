/** The work's own result, or after so many seconds `late`. The work itself goes on. */
export const withTimeout = async <T>(work: Promise<T>, seconds: number, late: () => Error): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), seconds * 1000)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
