/** The kernel counts a thread's time in steps of some milliseconds. */
const enough = 50_000

/** Microseconds of the processor, so that other work on the machine counts for nothing. */
const cost = (work: () => unknown): number => {
  const before = process.threadCpuUsage()
  for (let times = 1; ; times += 1) {
    work()
    const { user, system } = process.threadCpuUsage(before)
    if (user + system >= enough) return (user + system) / times
  }
}

/** Growth with the square is 256 every time; what is dearer for once is the machine, not the work. */
const surely = 32
const maxAttempts = 5

/**
 * How many times longer work takes on 16 times as much: about 16 where time grows with the size, 256 where it grows with
 * its square. `make` builds what is worked on, of a size.
 */
export const growth = <T>(make: (size: number) => T, size: number, work: (on: T) => unknown): number => {
  const [little, much] = [make(size / 16), make(size)]
  let minScope = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < maxAttempts && minScope > surely; attempt += 1)
    minScope = Math.min(minScope, cost(() => work(much)) / cost(() => work(little)))
  return minScope
}
