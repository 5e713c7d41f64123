import type { PatternMatcher } from './inbound-model.ts'

/** Patterns that are stored as numbers. Pure. */

/** Returns whether a stored number is a pattern, because it contains a non-digit character. */
export const isNumberPattern = (number: string): boolean => /\D/.test(number)

/**
 * Searches for a pattern in a number. A * at the end of the pattern matches any digits. Tenants write the patterns,
 * which can cause catastrophic backtracking: on a server, pass a matcher with a time limit to `routeInbound`.
 */
export const patternMatch: PatternMatcher = (pattern, number) => {
  try {
    // unchecked-regexp: written by a tenant; the server runs it with a time limit
    return new RegExp(pattern.replace(/\*$/, String.raw`\d*`)).test(number) ? 'matched' : 'unmatched'
  } catch {
    return 'invalid'
  }
}
