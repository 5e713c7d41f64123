import { numberDigits } from './format.ts'

/** Dots stand for any character in a pattern, and an extension is not part of what is called. */
const mayBePattern = /[.#a-z]/i

/**
 * What is stored of a text that was typed: of a number that is written as people write numbers its digits, of anything
 * else the text without one leading + (api/2-telephony.md §7.3).
 */
export const numberStored = (typed: string): string => {
  const text = typed.trim()
  const isWhole = text.split('(').length === text.split(')').length
  return (isWhole && !mayBePattern.test(text) ? numberDigits(text) : undefined) ?? text.replace(/^\+/, '')
}

/** The expression that the platform looks for anywhere in the number called; a * at the end stands for any digits. */
const expressionOf = (pattern: string): RegExp =>
  // unchecked-regexp: only compiled, never run
  new RegExp(pattern.replace(/\*$/, String.raw`\d*`))

/** Why the platform could not work with what is stored; undefined: it can. `maxLength` characters fit. */
export const validateNumber = (number: string, maxLength: number): string | undefined => {
  if (number === '') return 'Enter a phone number'
  if (/\s/.test(number)) return 'A phone number holds no blanks'
  if (number.length > maxLength) return `Use at most ${maxLength} characters`
  try {
    expressionOf(number)
  } catch {
    return 'The platform cannot read this pattern and would pass over it'
  }
  return undefined
}
