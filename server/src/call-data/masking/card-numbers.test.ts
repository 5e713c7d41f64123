import { cardNumberLabel as label } from '@patchbay/contract/shared/masking-limits'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../demo/seeded-random.ts'
import { maskCardNumbers } from './card-numbers.ts'

describe('card numbers are masked', () => {
  test.each([
    ['Visa', '4111111111111111'],
    ['Visa with 13 digits', '4222222222222'],
    ['Visa with 19 digits', '4000000000000000006'],
    ['Mastercard', '5555555555554444'],
    ['Mastercard of the second range', '2223003122003222'],
    ['American Express', '378282246310005'],
    ['Diners Club', '30569309025904'],
    ['Discover', '6011111111111117'],
    ['JCB', '3530111333300000'],
    ['UnionPay', '6200000000000005'],
    ['Maestro', '6759649826438453'],
    ['groups', '4111 1111 1111 1111'],
    ['dashes', '4111-1111-1111-1111'],
    ['full stops', '4111.1111.1111.1111'],
    ['groups of American Express', '3782 822463 10005'],
    ['digits that the recognition wrote separately', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'],
    ['digits separated by commas', '4, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1'],
    ['sentences', '4111, 1111. 1111… 1111'],
    ['words', 'four one one one, one one one one, one one one one, one one one one'],
    ['repeated words', 'Four triple one, double one double one, double one double one, one one one one'],
    ['groups of two digits', 'forty-one eleven eleven eleven eleven eleven eleven eleven'],
    ['words and figures', 'four one 11 1111 1111 then 1111'],
    ['zeros', 'five five five five, fifty five fifty five, 5555 forty four forty four'],
  ])('%s', (_name, text) => {
    expect(maskCardNumbers(text)).toBe(label)
    expect(maskCardNumbers(`My number is ${text}, it expires in June.`)).toBe(
      `My number is ${label}, it expires in June.`,
    )
  })

  test('of a text with several, and with other digits around them', () => {
    expect(maskCardNumbers('order 123 4111111111111111 456, or 5555 5555 5555 4444.')).toBe(
      `order 123 ${label} 456, or ${label}.`,
    )
    expect(maskCardNumbers('4111111111111111.4222222222222')).toBe(`${label}.${label}`)
  })
})

describe('other numbers are kept', () => {
  test.each([
    ['a wrong check digit', '4111 1111 1111 1112'],
    ['no card scheme', '1234 5678 9012 3452'],
    ['12 digits', '411111111111'],
    ['20 digits without a space', '41111111111111111112'],
    ['a phone number', '+4222222222222'],
    ['an address', 'sip:4222222222222@example.org and 4222222222222@example.org'],
    ['a decimal fraction', '0.4111111111111111'],
    ['a name with a number', 'order4111111111111111 and 4111111111111111abc and _4111111111111111'],
    ['a UUID', '41111111-1111-1111-8111-111111111111'],
    ['a time', '2026-11-26T17:04:26.123Z 1764176435000'],
    ['addresses with ports', '52.12.34.56:5060 54.231.12.3:5061'],
    ['words in a sentence', 'one of the four has two or three, and one more, for one or two days'],
    ['words that are interrupted', 'four one one one please one one one one one one one one one one one one'],
  ])('%s', (_name, text) => {
    expect(maskCardNumbers(text)).toBe(text)
  })
})

test('random texts are masked without an error, and masking them again changes nothing', () => {
  const { pick } = createRandom(34)
  const pieces = ['4111', '1111', '4', '1', '55', '222', '378282246310005', '+', '.', ',', ' ', '-', '@', ':', 'sip:']
  const others = [
    'double',
    'triple',
    'four',
    'one',
    'forty',
    'oh',
    'and',
    label,
    '[',
    '•',
    'é',
    '\ud800',
    '\n',
    '_',
    'x',
    '/',
    '\u00ad',
    '<break/>',
    '<x 4111 1111 1111 1111>',
    '&nbsp;',
    '٤١١١',
    '１１１１',
    'DE89',
    '卡',
  ]
  let masked = 0
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: 40 }, () => pick([...pieces, ...others, ' ', ' '])).join('')
    const once = maskCardNumbers(text)
    if (once !== text) masked += 1
    expect(maskCardNumbers(once)).toBe(once)
  }
  expect(masked).toBeGreaterThan(1000)
})
