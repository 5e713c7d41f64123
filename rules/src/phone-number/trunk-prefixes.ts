/**
 * Trunk prefixes by country calling code. Calling codes of countries that have none are absent, among them those where
 * a leading zero belongs to the number, such as 39 (Italy). A small copy of the numbering plans of libphonenumber-js,
 * because the form of a number opens before these are loaded. A test compares both.
 */
const callingCodes = {
  '0': '20 27 31 32 33 40 41 43 44 46 49 51 53 54 55 57 58 60 61 62 63 64 66 81 82 84 86 90 91 92 93 94 95 98 211 212 213 218 231 232 233 234 243 249 250 251 252 254 255 256 260 261 262 263 264 265 291 353 355 358 359 370 373 374 377 380 381 382 383 385 386 387 389 421 423 508 590 591 593 594 595 596 598 686 850 855 856 880 886 961 962 963 964 966 967 970 971 972 976 977 994 995 996',
  '1': '1 692',
  '8': '7 375 993',
  '06': '36',
} as const

export const trunkPrefixes: ReadonlyMap<string, string> = new Map(
  Object.entries(callingCodes).flatMap(([prefix, codes]) => codes.split(' ').map((code) => [code, prefix] as const)),
)

/** Calling codes of countries with a trunk prefix 0 whose numbers can begin with a single 0 too. */
const withLeadingZero = new Set(['250'])

/**
 * Returns whether an international number has a 0 after its calling code in a country where it is a trunk prefix, such as
 * in 49030…. Only some numbers of services begin with 00.
 */
export const hasTrunkPrefix = (digits: string): boolean =>
  [1, 2, 3].some((length) => {
    const callingCode = digits.slice(0, length)
    return (
      trunkPrefixes.get(callingCode) === '0' &&
      !withLeadingZero.has(callingCode) &&
      /^0[1-9]/.test(digits.slice(length))
    )
  })

/** Calling codes of countries and services whose numbers can begin with 0. A test compares them with the numbering plans. */
export const leadingZeroCodes: ReadonlySet<string> = new Set(
  '39 47 62 66 81 82 91 225 226 227 229 241 242 247 250 267 268 359 378 501 507 598 676 679 687 800 853 881 888 974 992'.split(
    ' ',
  ),
)

export const hasLeadingZeros = (callingCode: string): boolean => leadingZeroCodes.has(callingCode)

/** Matches a calling code and the trunk prefix in brackets: +44 (0)20, 0044(0)20, (+44)(0)20, 44(0)20. */
const bracketedTrunkPrefix = /^(\(?(?:\+|00)?\s*([1-9]\d{0,2})\)?[\s.\p{Pd}]*)\((\d{1,2})\)/u

/**
 * Removes a trunk prefix in brackets, which is dialed only for national calls. Italy and other countries have none:
 * there, a zero in brackets is a part of the number.
 */
export const removeTrunkPrefix = (text: string): string =>
  text.replace(bracketedTrunkPrefix, (written, before: string, callingCode: string, prefix: string) =>
    trunkPrefixes.get(callingCode) === prefix ? `${before} ` : written,
  )
