import { monotonicMs } from '../../lib/clock.ts'

/**
 * Time that the patterns of each service provider may use. Expressions that need much of it are valid, so a share per
 * minute limits how much they take from others. Reading and storing have separate shares: who reads much must not change
 * what is stored.
 */

export type MaskingPurpose = 'read' | 'store'

/** Milliseconds that patterns of a provider may use in a minute, for each purpose. A kilobyte takes about 1 ms with 20 patterns. */
export const budgetMsPerMinute = 10_000

const minuteMs = 60_000
/** Providers without recent use are forgotten when there are more. */
const maxRemembered = 1000

export interface PatternBudgets {
  /** Returns the milliseconds that a tenant has used of its share. They become less with time. */
  getUsedMs(tenant: string): number
  getRemainingMs(tenant: string): number
  charge(tenant: string, milliseconds: number): void
}

interface Use {
  milliseconds: number
  at: number
}

/** Creates budgets of which nothing is used. A tenant is a provider and a purpose. */
export const createPatternBudgets = (now: () => number = monotonicMs): PatternBudgets => {
  const uses = new Map<string, Use>()
  const getUsedMs = (tenant: string): number => {
    const use = uses.get(tenant)
    if (use === undefined) return 0
    return Math.max(0, use.milliseconds - ((now() - use.at) * budgetMsPerMinute) / minuteMs)
  }
  const forgetUnused = () => {
    for (const tenant of uses.keys()) if (getUsedMs(tenant) === 0) uses.delete(tenant)
  }
  return {
    getUsedMs,
    getRemainingMs: (tenant) => Math.max(0, budgetMsPerMinute - getUsedMs(tenant)),
    charge(tenant, milliseconds) {
      uses.set(tenant, { milliseconds: getUsedMs(tenant) + milliseconds, at: now() })
      if (uses.size > maxRemembered) forgetUnused()
    },
  }
}
