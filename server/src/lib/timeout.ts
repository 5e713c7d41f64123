/**
 * Returns the result of `work`. Rejects with the error of `createError` if it takes longer than `seconds`. The work
 * itself is not stopped.
 */
export const withTimeout = async <T>(work: Promise<T>, seconds: number, createError: () => Error): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(createError()), seconds * 1000)
  })
  try {
    return await Promise.race([work, limit])
  } finally {
    clearTimeout(timer)
  }
}
