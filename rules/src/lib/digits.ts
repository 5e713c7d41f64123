const decimalDigit = /\p{Nd}/u

/** Returns whether a character is a decimal digit of any script. */
export const isDecimalDigit = (character: string): boolean => decimalDigit.test(character)

/** Returns the ASCII digit of a decimal digit. Digits have consecutive code points, from 0 to 9, in each script. */
export const toAsciiDigit = (character: string): string => {
  const code = character.codePointAt(0) ?? 0
  let first = code
  while (isDecimalDigit(String.fromCodePoint(first - 1))) first -= 1
  return String((code - first) % 10)
}
