import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { createRandom } from '../../demo/seeded-random.ts'
import { maskCardNumbers } from './card-numbers.ts'
import { getIbanLength, isIban } from './iban.ts'

/** Counts the other numbers that are masked, and the card numbers that are not. The sets are always the same. */

const count = 10_000
const { below, pick } = createRandom(51)

const digits = (length: number): string => Array.from({ length }, () => String(below(10))).join('')
const group = (text: string, size: number, separator: string): string =>
  text.replaceAll(new RegExp(`\\d{${size}}(?=\\d)`, 'g'), (part) => part + separator)

const withCheckDigit = (start: string): string => {
  const values = Array.from(start)
    .toReversed()
    .map((digit, at) => (at % 2 === 0 ? Number(digit) * 2 : Number(digit)))
  const sum = values.reduce((total, value) => total + (value > 9 ? value - 9 : value), 0)
  return `${start}${(10 - (sum % 10)) % 10}`
}

/** First digits and lengths of the schemes. */
const schemes = [
  ['4', 16],
  ['4', 13],
  ['4', 19],
  ['51', 16],
  ['2345', 16],
  ['37', 15],
  ['36', 14],
  ['6011', 16],
  ['3530', 16],
  ['62', 17],
  ['2202', 16],
  ['6759', 18],
  ['506700', 16],
  ['9792', 16],
  ['506103', 19],
] as const

const createCard = (): string => {
  const [start, length] = pick(schemes)
  return withCheckDigit(start + digits(length - start.length - 1))
}

const digitNames = ['oh', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine']
const arabic = (text: string): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(0x06_60 + Number(digit)))

const ibanCountries = ['DE', 'ES', 'GB', 'FR', 'AT', 'NL', 'PL', 'IT', 'CH', 'BE'] as const
const createIban = (): string => {
  const country = pick(ibanCountries)
  const bank = country === 'GB' || country === 'NL' ? 'ABNA' : country === 'IT' ? 'X' : ''
  const account = bank + digits((getIbanLength(`${country}00`) ?? 0) - 4 - bank.length)
  const checks = Array.from({ length: 97 }, (_, check) => `${country}${String(check + 2).padStart(2, '0')}${account}`)
  return checks.find(isIban) ?? 'none'
}
const inFours = (text: string): string => text.replaceAll(/.{4}(?=.)/g, (part) => `${part} `)

const countries = ['1', '44', '49', '33', '34', '39', '41', '43', '48', '55', '61', '81', '91', '351', '353', '380']
const createPhone = (): string => pick(countries) + digits(9 + below(2))

const sets: readonly (readonly [name: string, create: () => string])[] = [
  ['order numbers of 10 to 20 digits', () => digits(10 + below(11))],
  ['order numbers of 16 digits', () => digits(16)],
  ['order numbers of 16 digits in groups of four', () => group(digits(16), 4, pick([' ', '-']))],
  ['phone numbers with a plus sign', () => `+${createPhone()}`],
  ['phone numbers without a plus sign', createPhone],
  ['lists of three phone numbers', () => [1, 2, 3].map(() => group(`0${digits(9)}`, 3, ' ')).join(', ')],
  ['IBANs', createIban],
  ['IBANs in groups of four', () => inFours(createIban())],
  [
    'times with dates, and epochs',
    () => {
      const date = new Date(1_700_000_000_000 + below(2_000_000_000) * 50)
      return `${date.toISOString()} ${date.toISOString().replace('T', ' ').replace('Z', '')} ${date.getTime()}`
    },
  ],
  [
    'trace ids and UUIDs',
    () => {
      const id = Array.from({ length: 32 }, () => below(16).toString(16)).join('')
      return `${id} ${id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')}`
    },
  ],
  ['card numbers as figures', createCard],
  ['card numbers in groups', () => group(createCard(), 4, pick([' ', '-', ', ', '/', '·', ' – ', '\u00ad']))],
  [
    'card numbers as words',
    () =>
      Array.from(createCard())
        .map((digit) => digitNames[Number(digit)])
        .join(pick([' ', ', ', ' uh '])),
  ],
  ['card numbers in Arabic-Indic digits', () => arabic(createCard())],
  ['card numbers with a break for synthesis', () => group(createCard(), 4, '<break time="200ms"/>')],
]

const guide = readFileSync(new URL('../../../../docs/how-to/mask-transcripts.md', import.meta.url), 'utf8')

test.each(sets)('the guide says how many are masked of %s', (name, create) => {
  let masked = 0
  for (let at = 0; at < count; at += 1) if (maskCardNumbers(`It is ${create()} .`).includes('[')) masked += 1
  const percent = `${((masked / count) * 100).toFixed(1)} %`
  expect(guide).toContain(`| ${name} | ${percent} |`)
})
