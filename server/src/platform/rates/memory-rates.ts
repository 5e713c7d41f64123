import type { Rates } from './rates.ts'

/**
 * Rates in the memory of this process. Not in the database: a write a request would cost more than what the limit
 * protects. So without Redis each process counts for itself, and n of them let n times as much through.
 */
export const createMemoryRates = (now: () => number = Date.now, mostCallers = 10_000): Rates => {
  const windows = new Map<string, { count: number; endsAt: number }>()
  return {
    hit(caller, windowMilliseconds) {
      const found = windows.get(caller)
      const window = found && found.endsAt > now() ? found : { count: 0, endsAt: now() + windowMilliseconds }
      window.count += 1
      // Last in order are those who called last, so those at the front may go.
      windows.delete(caller)
      windows.set(caller, window)
      for (const oldest of windows.keys()) {
        if (windows.size <= mostCallers) break
        windows.delete(oldest)
      }
      return Promise.resolve({ count: window.count, milliseconds: window.endsAt - now() })
    },
  }
}
