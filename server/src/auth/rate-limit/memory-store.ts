import { monotonicMs } from '../../lib/clock.ts'
import type { Rates } from './rate-limit-store.ts'

/**
 * Counts requests in the memory of this process, because a database write per request would cost more than the limit
 * protects. Without Redis each process counts on its own, so n processes allow n times the limit.
 *
 * @param now milliseconds of a clock that never goes back
 */
export const createMemoryRates = (now: () => number = monotonicMs, maxCallers = 10_000): Rates => {
  const windows = new Map<string, { count: number; endsAt: number }>()
  return {
    hit(caller, windowMs) {
      const existing = windows.get(caller)
      const window = existing && existing.endsAt > now() ? existing : { count: 0, endsAt: now() + windowMs }
      window.count += 1
      // The map keeps the most recent callers at its end, so the oldest are evicted first.
      windows.delete(caller)
      windows.set(caller, window)
      for (const oldest of windows.keys()) {
        if (windows.size <= maxCallers) break
        windows.delete(oldest)
      }
      return Promise.resolve({ count: window.count, milliseconds: window.endsAt - now() })
    },
  }
}
