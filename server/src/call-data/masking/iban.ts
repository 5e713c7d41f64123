/** Recognizes IBANs (ISO 13616), whose groups of four figures are no card numbers. Pure. */

/** Characters of an IBAN by country, from the registry of SWIFT: countries whose IBANs have 13 figures in a row. */
const lengths: Readonly<Record<string, number>> = {
  AD: 24,
  AE: 23,
  AT: 20,
  BE: 16,
  BG: 22,
  BR: 29,
  CH: 21,
  CY: 28,
  CZ: 24,
  DE: 22,
  DK: 18,
  EE: 20,
  ES: 24,
  FI: 18,
  FR: 27,
  GB: 22,
  GR: 27,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IT: 27,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  NL: 18,
  NO: 15,
  PL: 28,
  PT: 25,
  RO: 24,
  RS: 22,
  SA: 24,
  SE: 24,
  SI: 19,
  SK: 24,
  TR: 26,
}

/** Returns the length of the IBANs that begin like a text, or undefined. */
export const getIbanLength = (text: string): number | undefined =>
  /^[a-z]{2}\d{2}/i.test(text) ? lengths[text.slice(0, 2).toUpperCase()] : undefined

/** Returns whether the check digits of an IBAN without spaces are right. */
export const isIban = (text: string): boolean => {
  if (getIbanLength(text) !== text.length) return false
  let remainder = 0
  for (const character of text.slice(4) + text.slice(0, 4)) {
    const value = Number.parseInt(character, 36)
    if (Number.isNaN(value)) return false
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97
  }
  return remainder === 1
}
