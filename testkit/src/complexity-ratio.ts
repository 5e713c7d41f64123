/** Minimum measured time in microseconds, because the kernel accounts CPU time in steps of several milliseconds. */
const minMeasuredMicroseconds = 50_000

/** Returns the CPU time per run in microseconds. Other processes on the machine do not affect it. */
const cost = (work: () => unknown): number => {
  const before = process.threadCpuUsage()
  for (let times = 1; ; times += 1) {
    work()
    const { user, system } = process.threadCpuUsage(before)
    if (user + system >= minMeasuredMicroseconds) return (user + system) / times
  }
}

/**
 * Ratio above which the measurement is repeated. Quadratic growth gives 256 in every attempt, a busy machine only in
 * some.
 */
const acceptedRatio = 32
const maxAttempts = 5

/**
 * Returns how much longer `work` takes for input that is 16 times as large: about 16 if the time grows linearly, 256 if
 * it grows quadratically. `make` creates the input.
 */
export const growth = <T>(make: (size: number) => T, size: number, work: (on: T) => unknown): number => {
  const [little, much] = [make(size / 16), make(size)]
  let minRatio = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < maxAttempts && minRatio > acceptedRatio; attempt += 1)
    minRatio = Math.min(minRatio, cost(() => work(much)) / cost(() => work(little)))
  return minRatio
}
