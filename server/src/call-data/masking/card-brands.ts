/**
 * The first digits and the lengths of payment cards (ISO/IEC 7812, the tables of the card schemes). A number without such
 * a beginning is not masked, because an order number satisfies the Luhn formula in one of ten cases.
 */

interface Brand {
  name: string
  /** First and last value of the leading digits, both with the same number of digits. */
  ranges: readonly (readonly [first: string, last: string])[]
  lengths: readonly number[]
}

const from16 = [16, 17, 18, 19]
const from13 = [13, 14, 15, ...from16]

const brands: readonly Brand[] = [
  { name: 'Visa', ranges: [['4', '4']], lengths: [13, 16, 19] },
  {
    name: 'Mastercard',
    ranges: [
      ['51', '55'],
      ['2221', '2720'],
    ],
    lengths: [16],
  },
  {
    name: 'American Express',
    ranges: [
      ['34', '34'],
      ['37', '37'],
    ],
    lengths: [15],
  },
  {
    name: 'Diners Club',
    ranges: [
      ['300', '305'],
      ['3095', '3095'],
      ['36', '36'],
      ['38', '39'],
    ],
    lengths: [14, ...from16],
  },
  {
    name: 'Discover, RuPay',
    ranges: [
      ['60', '60'],
      ['644', '649'],
      ['65', '65'],
    ],
    lengths: from16,
  },
  { name: 'JCB', ranges: [['3528', '3589']], lengths: from16 },
  {
    name: 'UnionPay',
    ranges: [
      ['62', '62'],
      ['81', '82'],
    ],
    lengths: from16,
  },
  { name: 'Mir', ranges: [['2200', '2204']], lengths: from16 },
  {
    name: 'Maestro',
    ranges: [
      ['5018', '5018'],
      ['5020', '5020'],
      ['5038', '5038'],
      ['5893', '5893'],
      ['6304', '6304'],
      ['6759', '6759'],
      ['6761', '6763'],
    ],
    lengths: from13,
  },
  {
    // Other numbers of Elo begin like those of Visa, UnionPay, and Discover.
    name: 'Elo',
    ranges: [
      ['504175', '504175'],
      ['506699', '506778'],
      ['509', '509'],
      ['636297', '636297'],
      ['636368', '636368'],
    ],
    lengths: [16],
  },
  { name: 'Troy', ranges: [['9792', '9792']], lengths: [16] },
  {
    // Numbers from 650002 to 650027 begin like those of Discover.
    name: 'Verve',
    ranges: [
      ['506099', '506198'],
      ['507865', '507964'],
    ],
    lengths: [16, 18, 19],
  },
]

export const minCardDigits = 13
export const maxCardDigits = 19

const hasBrand = (digits: string): boolean =>
  brands.some(
    ({ ranges, lengths }) =>
      lengths.includes(digits.length) &&
      ranges.some(([first, last]) => {
        const leading = digits.slice(0, first.length)
        return leading >= first && leading <= last
      }),
  )

/** Returns whether the check digit is right (Luhn, ISO/IEC 7812-1 annex B). */
const hasCheckDigit = (digits: string): boolean => {
  let sum = 0
  for (let at = 0; at < digits.length; at += 1) {
    const digit = digits.charCodeAt(at) - 48
    const isDoubled = (digits.length - at) % 2 === 0
    const value = isDoubled ? digit * 2 : digit
    sum += value > 9 ? value - 9 : value
  }
  return sum % 10 === 0
}

/** Returns whether 13 to 19 digits are the number of a payment card. */
export const isCardNumber = (digits: string): boolean => hasBrand(digits) && hasCheckDigit(digits)
