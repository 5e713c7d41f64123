import type { MaskingRules } from '@patchbay/contract/masking-rules'
import { cardNumberLabel, uncheckedLabel } from '@patchbay/contract/shared/masking-limits'
import type { RE2JS } from 're2js'
import { maskCardNumbers } from './card-numbers.ts'

/**
 * Masks texts by the rules of a service provider. The expressions come from tenants, so RE2 runs them: it needs linear
 * time for a search, and has no syntax that would need more. Searching for all matches can need a search per match, so
 * the number of matches and the total time are limited. A text over a limit is replaced, never left as it is.
 */

export type MaskText = (text: string) => string

export interface TextMasker {
  readonly rules: MaskingRules
  mask: MaskText
  /** Masks only card numbers, if the rules say so. */
  maskCards: MaskText
}

/** Masks card numbers, for providers without rules of their own. */
export const defaultRules: MaskingRules = {
  card_numbers: 1,
  pressed_digits: 0,
  patterns: [],
  mute_recordings: 0,
}

/** Matches of a pattern in a text. After this number, the rest of the text is replaced. */
const maxMatches = 200

/** Time for the patterns of several texts together. Shared by the maskers of one request. */
export interface MaskingBudget {
  remainingMs: number
  /** Set when a text was replaced because no time was left. */
  isExceeded?: boolean
}

interface CompiledPattern {
  expression: RE2JS
  label: string
}

interface Range {
  start: number
  end: number
}

/** Returns the positions of labels in a text that is already masked in part. */
const findLabels = (text: string, labels: readonly string[]): Range[] =>
  labels.flatMap((label) => {
    const ranges: Range[] = []
    for (let start = text.indexOf(label); start >= 0; start = text.indexOf(label, start + label.length))
      ranges.push({ start, end: start + label.length })
    return ranges
  })

const replaceMatches = (
  text: string,
  { expression, label }: CompiledPattern,
  labels: readonly string[],
  budget: MaskingBudget,
): string => {
  const endsAt = performance.now() + budget.remainingMs
  const matcher = expression.matcher(text)
  if (!matcher.find()) return text
  const masked = findLabels(text, labels)
  let result = ''
  let end = 0
  let matches = 0
  do {
    const [from, to] = [matcher.start(), matcher.end()]
    matches += 1
    // The rest of a text over a limit is replaced, because it has not been searched.
    const isLate = performance.now() > endsAt
    if (isLate) budget.isExceeded = true
    if (matches > maxMatches || isLate) return result + text.slice(end, from) + label
    // A label is not masked again, so masking a masked text changes nothing.
    if (from === to || masked.some((range) => from < range.end && to > range.start)) continue
    result += text.slice(end, from) + label
    end = to
  } while (matcher.find())
  return result + text.slice(end)
}

/** Rules with compiled expressions. */
export interface CompiledRules {
  rules: MaskingRules
  patterns: readonly CompiledPattern[]
}

/** Compiled rules that were used last, by their JSON. Compiling 20 expressions takes about 20 ms. */
const compiledRules = new Map<string, CompiledRules>()
const maxCompiledRules = 50

/**
 * Compiles the expressions of rules, which have been validated. The engine is loaded when the first pattern is used.
 * @throws RE2JSException if an expression is invalid
 */
export const compileRules = async (rules: MaskingRules): Promise<CompiledRules> => {
  if (rules.patterns.length === 0) return { rules, patterns: [] }
  const key = JSON.stringify(rules)
  const cached = compiledRules.get(key)
  const { RE2JS: engine } = await import('re2js')
  const compiled = cached ?? {
    rules,
    patterns: rules.patterns.map(({ expression, replacement }) => ({
      expression: engine.compile(expression),
      label: `[${replacement}]`,
    })),
  }
  // The map is ordered by last use, so its first entry is the least recently used.
  compiledRules.delete(key)
  compiledRules.set(key, compiled)
  const [oldest] = compiledRules.keys()
  if (compiledRules.size > maxCompiledRules && oldest !== undefined) compiledRules.delete(oldest)
  return compiled
}

/** Creates the masker of compiled rules. Texts that are masked after the budget is used up are replaced as a whole. */
export const createTextMasker = (
  { rules, patterns }: CompiledRules,
  budget: MaskingBudget = { remainingMs: Number.POSITIVE_INFINITY },
): TextMasker => {
  const labels = [cardNumberLabel, uncheckedLabel, ...patterns.map(({ label }) => label)]
  const maskPatterns: MaskText = (text) => {
    let masked = text
    for (const pattern of patterns) {
      if (budget.remainingMs <= 0) {
        budget.isExceeded = true
        return uncheckedLabel
      }
      const startedAt = performance.now()
      masked = replaceMatches(masked, pattern, labels, budget)
      budget.remainingMs -= performance.now() - startedAt
    }
    return masked
  }
  const maskCards: MaskText = rules.card_numbers === 1 ? maskCardNumbers : (text) => text
  const mask: MaskText = (text) => {
    const withoutCards = maskCards(text)
    if (patterns.length === 0 || text === '') return withoutCards
    const masked = maskPatterns(withoutCards)
    // A word next to a number is a part of it until a pattern has replaced the word.
    return masked === withoutCards ? masked : maskCards(masked)
  }
  return { rules, mask, maskCards }
}
