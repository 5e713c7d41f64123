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
