import { patternMatch, type PatternMatcher } from '@patchbay/contract/routing/inbound'
import { createContext, Script } from 'node:vm'

/**
 * Patterns with at most one quantifier take at most quadratic time. A number has at most 132 characters, so that these
 * need no time limit. With several quantifiers, as in `(a+)+`, the time may be exponential.
 */
const isCheap = (pattern: string): boolean => pattern.replaceAll(/[^*+?{]/g, '').length <= 1

const script = new Script('match(pattern, number)')

/**
 * Creates a matcher for patterns that tenants have written. It runs for at most `budgetMs` milliseconds in all; a pattern
 * that exceeds this, and each one after it that could, is `invalid`.
 */
export const createPatternMatcher = (budgetMs = 50): PatternMatcher => {
  let leftMs = budgetMs
  return (pattern, number) => {
    if (isCheap(pattern)) return patternMatch(pattern, number)
    if (leftMs < 1) return 'invalid'
    const started = performance.now()
    try {
      const context = createContext({ match: patternMatch, pattern, number })
      return script.runInContext(context, { timeout: Math.ceil(leftMs) }) as ReturnType<PatternMatcher>
    } catch {
      return 'invalid'
    } finally {
      leftMs -= performance.now() - started
    }
  }
}
