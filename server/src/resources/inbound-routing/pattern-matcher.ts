import { createContext, Script } from 'node:vm'
import type { PatternMatcher } from './inbound-model.ts'
import { patternMatch } from './number-patterns.ts'

/**
 * Returns whether a pattern has at most one quantifier and therefore takes at most quadratic time. A number has at most
 * 132 characters, so these patterns need no time limit. With several quantifiers, as in `(a+)+`, the time can be
 * exponential.
 */
const isCheap = (pattern: string): boolean => pattern.replaceAll(/[^*+?{]/g, '').length <= 1

const script = new Script('match(pattern, number)')

/**
 * Creates a matcher for patterns from tenants. It runs for at most `budgetMs` milliseconds in total. A pattern that
 * exceeds this, and every expensive pattern after it, is `invalid`.
 */
export const createPatternMatcher = (budgetMs = 50): PatternMatcher => {
  let remainingMs = budgetMs
  return (pattern, number) => {
    if (isCheap(pattern)) return patternMatch(pattern, number)
    if (remainingMs < 1) return 'invalid'
    const started = performance.now()
    try {
      const context = createContext({ match: patternMatch, pattern, number })
      return script.runInContext(context, { timeout: Math.ceil(remainingMs) }) as ReturnType<PatternMatcher>
    } catch {
      return 'invalid'
    } finally {
      remainingMs -= performance.now() - started
    }
  }
}
