import { cardNumberLabel as label } from '@patchbay/contract/shared/masking-limits'
import { describe, expect, test } from 'vitest'
import { maskCardNumbers } from './card-numbers.ts'

/** Spellings of card numbers that callers, recognitions, and texts for synthesis produce. */

const visa = '4111111111111111'
const groups = ['4111', '1111', '1111', '1111']
const single = Array.from(visa)

/** Returns a number with the digits of another script. `zero` is the code point of its zero. */
const inScript = (zero: number, text = visa): string =>
  text.replaceAll(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))

const scripts: readonly (readonly [string, number])[] = [
  ['Arabic-Indic', 0x06_60],
  ['Persian and Urdu', 0x06_f0],
  ['N’Ko', 0x07_c0],
  ['Devanagari', 0x09_66],
  ['Bengali', 0x09_e6],
  ['Gurmukhi', 0x0a_66],
  ['Gujarati', 0x0a_e6],
  ['Odia', 0x0b_66],
  ['Tamil', 0x0b_e6],
  ['Telugu', 0x0c_66],
  ['Kannada', 0x0c_e6],
  ['Malayalam', 0x0d_66],
  ['Sinhala', 0x0d_e6],
  ['Thai', 0x0e_50],
  ['Lao', 0x0e_d0],
  ['Tibetan', 0x0f_20],
  ['Burmese', 0x10_40],
  ['Khmer', 0x17_e0],
  ['Mongolian', 0x18_10],
  ['Adlam', 0x1_e9_50],
  ['full-width', 0xff_10],
  ['mathematical bold', 0x1_d7_ce],
  ['mathematical double-struck', 0x1_d7_d8],
  ['mathematical monospace', 0x1_d7_f6],
]

const separators: readonly (readonly [string, string])[] = [
  ['a space', ' '],
  ['two spaces', '  '],
  ['a tab', '\t'],
  ['a line break', '\n'],
  ['a no-break space', '\u00a0'],
  ['a narrow no-break space', '\u202f'],
  ['a figure space', '\u2007'],
  ['an ideographic space', '\u3000'],
  ['a hyphen', '-'],
  ['a hyphen between spaces', ' - '],
  ['a non-breaking hyphen', '\u2011'],
  ['a figure dash', '\u2012'],
  ['an en dash', '–'],
  ['an em dash', '—'],
  ['a minus', '−'],
  ['a full-width hyphen', '－'],
  ['a full stop', '.'],
  ['a full stop and a space', '. '],
  ['an ellipsis', '… '],
  ['three full stops', '... '],
  ['a comma', ','],
  ['a comma and a space', ', '],
  ['an Arabic comma', '، '],
  ['an ideographic comma', '、'],
  ['an ideographic full stop', '。'],
  ['a slash', '/'],
  ['a slash between spaces', ' / '],
  ['a full-width slash', '／'],
  ['an underscore', '_'],
  ['a colon', ':'],
  ['a colon and a space', ': '],
  ['a semicolon', '; '],
  ['a middle dot', '·'],
  ['a katakana middle dot', '・'],
  ['a vertical line', '|'],
  ['a tilde', '~'],
  ['a number sign', '#'],
  ['an asterisk', '*'],
  ['a soft hyphen', '\u00ad'],
  ['a zero-width space', '\u200b'],
  ['a zero-width joiner', '\u200d'],
  ['a zero-width non-joiner', '\u200c'],
  ['a word joiner', '\u2060'],
  ['a byte order mark', '\ufeff'],
  ['a right-to-left mark', '\u200f'],
  ['a variation selector', '\ufe0f'],
  ['“and”', ' and '],
  ['“then”', ' then '],
  ['“and then”', ', and then '],
  ['“dash”', ' dash '],
  ['“hyphen”', ' hyphen '],
  ['“space”', ' space '],
  ['“slash”', ' slash '],
  ['“dot”', ' dot '],
  ['“comma”', ' comma '],
  ['“uh”', ' uh '],
  ['“um”', ', um, '],
  ['“okay”', ', okay, '],
  ['a break', '<break time="200ms"/>'],
  ['a break between spaces', ' <break strength="weak" /> '],
  ['two breaks', '<break/><break/>'],
  ['a no-break space of HTML', '&nbsp;'],
  ['a soft hyphen of HTML', '&#173;'],
]

const singles: readonly (readonly [string, string])[] = [
  ['a space', ' '],
  ['a comma', ', '],
  ['a hyphen', '-'],
  ['a colon', ':'],
  ['a slash', '/'],
  ['an underscore', '_'],
  ['a number sign', '#'],
  ['a soft hyphen', '\u00ad'],
  ['a zero-width space', '\u200b'],
  ['a break', '<break/>'],
]

const sayAs = (text: string) => `<say-as interpret-as="digits">${text}</say-as>`

const others: readonly (readonly [string, string])[] = [
  ['say-as', sayAs(visa)],
  ['say-as of groups', groups.map(sayAs).join(' ')],
  ['say-as of groups with breaks', groups.map(sayAs).join('<break time="1s"/>')],
  ['say-as of digits', single.map(sayAs).join('')],
  ['prosody around groups', `<prosody rate="slow">${groups.join('<break/>')}</prosody>`],
  ['emphasis of a group', `4111 <emphasis level="strong">1111</emphasis> 1111 1111`],
  ['marks of an agent framework', groups.join('<expr type="pause"/>')],
  ['emoji of keys', single.map((digit) => `${digit}\ufe0f\u20e3`).join('')],
  ['figures in circles', single.map((digit) => String.fromCodePoint(0x24_5f + Number(digit))).join('')],
  ['superscript', '⁴¹¹¹ ¹¹¹¹ ¹¹¹¹ ¹¹¹¹'],
  ['mixed scripts', `4111 ${inScript(0x06_60, '1111')} ${inScript(0xff_10, '1111')} 1111`],
  ['struck digits', single.map((digit) => `${digit}\u0336`).join('')],
  ['words', 'four one one one one one one one one one one one one one one one'],
  [
    'words with hyphens',
    groups
      .map(() => 'one-one-one-one')
      .join(' ')
      .replace('one', 'four'),
  ],
  ['words in capitals', 'FOUR ONE ONE ONE, ONE ONE ONE ONE, ONE ONE ONE ONE, ONE ONE ONE ONE'],
  ['words with fillers', 'four one one one uh one one one one, then one one one one okay one one one one'],
  ['repeated words', 'four triple one, double one double one, quadruple one, double one double one'],
  ['“treble”', 'four treble one 1111 1111 1111'],
  ['groups of two as words', 'forty-one eleven eleven eleven eleven eleven eleven eleven'],
  ['words and figures', 'four one 11 one one one one 1111 1 1 1 1'],
  ['words and breaks', 'four<break/>one<break/>one<break/>one 1111<break/>1111 1111'],
  ['quotation marks', `"4111" "1111" "1111" "1111"`],
  ['bold figures of Markdown', '4111** **1111** **1111** **1111'],
  ['different separators', '4111-1111 1111/1111'],
  ['American Express', '3782 822463 10005'],
  ['American Express with slashes', '3782/822463/10005'],
  ['Diners Club', '3056 930902 5904'],
  ['Elo', '5067 0000 0000 0009'],
  ['Elo of another range', '6363-6800-0000-0007'],
  ['Elo that begins with 509', '5090000000000000'],
  ['Troy', '9792 0754 8236 5454'],
  ['Troy in words', 'nine seven nine two, oh seven five four, eight two three six, five four five four'],
  ['Verve', '5061 0300 0000 0000 084'],
  ['Verve of the second range', '5078 6500 0000 0000 08'],
  ['Verve that begins like Discover', '6500 0200 0000 0000'],
  ['UnionPay', '6200·0000·0000·0005'],
  ['Mir', '2200 0000 0000 0004'],
]

const spellings: (readonly [string, string])[] = [
  ...scripts.map(([name, zero]) => [`${name} digits`, inScript(zero)] as const),
  ...scripts.slice(0, 4).map(([name, zero]) => [`groups of ${name} digits`, inScript(zero, groups.join(' '))] as const),
  ...separators.map(([name, separator]) => [`groups with ${name} between`, groups.join(separator)] as const),
  ...singles.map(([name, separator]) => [`digits with ${name} between`, single.join(separator)] as const),
  ...others,
]

describe('a card number is masked that is spelled with', () => {
  test('at least 120 different spellings', () => {
    expect(new Set(spellings.map(([, text]) => text)).size).toBe(spellings.length)
    expect(spellings.length).toBeGreaterThanOrEqual(120)
  })

  test.each(spellings)('%s', (_name, text) => {
    const sentence = (number: string) => `My number is ${number} , it expires in June.`
    const masked = maskCardNumbers(sentence(text))
    const visible = masked.replaceAll(/<[^>]*>/g, '').replaceAll(/\s+/g, ' ')
    expect(visible.replaceAll('**', '')).toMatch(/^My number is "?\[card number\]"?\W*, it expires in June\.$/u)
    expect(maskCardNumbers(masked)).toBe(masked)
  })

  test('the decimal digits of every script', () => {
    const digits = Array.from({ length: 0x11_00_00 }, (_, code) => code).filter(
      (code) => (code < 0xd8_00 || code > 0xdf_ff) && /\p{Nd}/u.test(String.fromCodePoint(code)),
    )
    expect(digits.length).toBeGreaterThan(600)
    expect(digits.length % 10).toBe(0)
    for (let at = 0; at < digits.length; at += 10) expect(maskCardNumbers(inScript(digits[at] ?? 0))).toBe(label)
  })

  test.each([
    ['Chinese', `我的卡号是${visa}谢谢`, `我的卡号是${label}谢谢`],
    ['Japanese', `番号は${inScript(0xff_10)}です`, `番号は${label}です`],
    ['Thai', `บัตร${inScript(0x0e_50)}ครับ`, `บัตร${label}ครับ`],
  ])('no space between words, as in %s', (_name, text, expected) => {
    expect(maskCardNumbers(text)).toBe(expected)
  })

  test('an attribute of a tag', () => {
    expect(maskCardNumbers(`<sub alias="${groups.join(' ')}">card</sub>`)).toBe(`<sub alias="${label}">card</sub>`)
  })
})

describe('other texts are kept:', () => {
  test.each([
    ['dates and times', '2026-11-26 17:04:26.123456 26/11/2026 17:04:26 2026/11/26 23:45:10.5 4/11/2026'],
    ['times in a list', '22:21:15 51:00:11 34:11:22 17:04 18:05 19:06'],
    ['epochs', '1764176435 1764176435000 1764176435000123 1764176435000123456'],
    ['UUIDs', '41111111-1111-1111-8111-111111111111, 41111111-1111-4111-8111-111111111111'],
    ['trace ids', '4111a111111111114111111111111111 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    ['phone numbers', '+49 151 1234 5678, +1 (415) 555-2671, 0800 4111111, +442079460000'],
    ['phone numbers in a list', '415-555-2671, 650-253-0000, 415-555-0132'],
    ['an IBAN in groups', 'DE89 3704 0044 0532 0130 00, GB29 NWBK 6016 1331 9268 19, ES91 2100 0418 4502 0005 1332'],
    ['an IBAN with a card number in it', 'FR20 4111 1111 1111 1111 1111 111'],
    ['addresses', '52.12.34.56:5060 54.231.12.3:5061 10.0.0.1/24'],
    ['versions', '4.11.1 4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1'],
    ['prices', '12.50, 13.20, 4.11, 11.11'],
    ['tags without figures', 'Hello <break time="4111ms"/> and <prosody rate="111%">welcome</prosody> & thanks'],
  ])('%s', (_name, text) => {
    expect(maskCardNumbers(text)).toBe(text)
  })

  test('a card number after something that begins like an IBAN is masked', () => {
    expect(maskCardNumbers('DE12 4111 1111 1111 1111')).toBe(`DE12 ${label}`)
  })
})
