/** Limits for the masking rules of a service provider. */
export const maskingLimits = {
  patterns: 20,
  name: 64,
  expression: 200,
  replacement: 40,
  /** Instructions of a compiled expression, which determine the time per character. */
  instructions: 500,
  /** Characters of a text that a user tries the rules on. */
  testText: 5000,
} as const

/** Replaces a card number. The brackets keep it from being part of a number or of a word. */
export const cardNumberLabel = '[card number]'

/** Replaces a text that was not searched, because the time for patterns was used up. */
export const uncheckedLabel = '[text not checked]'

/** Replaces a digit that a caller has pressed. */
export const maskedDigit = '•'

/** Matches texts that can be masked: labels of patterns can be any text in brackets. */
export const anyMask = /\[[^[\]]+\]|•/
