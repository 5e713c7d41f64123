import metadata from 'libphonenumber-js/min/metadata'
import { expect, test } from 'vitest'
import { validateInternationalLength } from './number-lengths.ts'
import { calledNumber, toPatternRegExp } from './patterns.ts'
import { readTypedNumber as readWithLength } from './read-number.ts'
import { searchedNumber } from './searched-number.ts'
import { leadingZeroCodes, trunkPrefixes } from './trunk-prefixes.ts'

const readTypedNumber = (typed: string) => readWithLength(typed, validateInternationalLength)

test.each([
  ['+15083084809', '15083084809'],
  [' +1 (508) 308-4809 ', '15083084809'],
  ['(508) 308-4809', '5083084809'],
  ['1.508.555.1244', '15085551244'],
  ['+39 (0)6 5550 1234', '390655501234'],
  ['+39 06 5550 1235', '390655501235'],
  ['0039 06 5550 1236', '390655501236'],
  ['+52 1 55 5550 1237', '5215555501237'],
  ['+54 9 11 5550 1238', '5491155501238'],
  ['+44 (0)20 5550 1239', '442055501239'],
  ['0044 (0)20 5550 1239', '442055501239'],
  ['+44-(0)20-5550-1239', '442055501239'],
  ['+49 (0) 30 5550 1239', '493055501239'],
  ['(+49)(0)30 5550 1239', '493055501239'],
  ['+(49) 30 5550 1239', '493055501239'],
  ['011 44 20 5550 1239', '442055501239'],
  ['011 210 1234', '0112101234'],
  ['+81 00777 12345', '810077712345'],
  ['+250 06 123 4567', '250061234567'],
  ['+36 (06) 1 555 1239', '3615551239'],
  ['+7 (8) 495 555-12-39', '74955551239'],
  ['sip:+15085551241@carrier.example', '15085551241'],
  ['"Front desk" <sips:+15085551241@carrier.example:5061;user=phone>', '15085551241'],
  ['sip:%2B15085551241@carrier.example', '15085551241'],
  ['+15085551241@carrier.example', '15085551241'],
  ['tel:+1-508-555-1241', '15085551241'],
  ['TEL:+1-508-555-1241;phone-context=+1', '15085551241'],
  ['+1 (508) 555-1245;phone-context=+1', '15085551245'],
  ['callto:+15085551241', '15085551241'],
  ['112', '112'],
  ['00441605551247', '441605551247'],
  ['+0044 1605 551247', '441605551247'],
  ['15,083,084,801', '15083084801'],
  ['15.083.084.801', '15083084801'],
  ["15'083'084'801", '15083084801'],
  ['="15083084801"', '15083084801'],
  ['="+15083084801"', '15083084801'],
  ["'15083084801", '15083084801'],
  ['+١٥٠٨٣٠٨٤٨٠٩', '15083084809'],
  ['\uff0b\uff11508 308 4809', '15083084809'],
  ['508–308−4809', '5083084809'],
  ['01.23.45.67.89', '0123456789'],
  ['030/12345-67', '0301234567'],
  ['01.23.45.67', '01234567'],
  ['030.1234567', '0301234567'],
  ['05-08-4809', '05084809'],
  ['+49 33205/123-45', '493320512345'],
  ['+49 30 12345-67', '49301234567'],
  ['380 44 123-45-67', '380441234567'],
  ['1/508/308/4809', '15083084809'],
  ['+52-1-55-5550-1237', '5215555501237'],
  ['+९१ ९८७६५ ४३२१०', '919876543210'],
  ['+৮৮০১৭১২৩৪৫৬৭৮', '8801712345678'],
  ['๐๒-๑๒๓-๔๕๖๗', '021234567'],
  ['\u{11136}\u{11139}\u{11137}\u{1113b}\u{11138}', '03152'],
  ['44 (0)20 7946 0958', '442079460958'],
  ['39 (0)6 5550 1234', '390655501234'],
  ['+378 (0)549 123456', '3780549123456'],
  ['+378 882555', '378882555'],
  ['+54 9 11 2345-6789', '5491123456789'],
  ['+800 0012 3456', '80000123456'],
  ['+7 800 555 12 39', '78005551239'],
  ['0011 61 2 9876 5432', '61298765432'],
  ['sip:+442079460958@[2001:db8::1]:5060;transport=tls', '442079460958'],
  ['sip:442079460958:secret@carrier.example', '442079460958'],
  ['tel://+442079460958', '442079460958'],
  ['whatsapp:+15083084809', '15083084809'],
  ['"15083084809"', '15083084809'],
  ["'+15083084809'", '15083084809'],
  ['“+15083084809”', '15083084809'],
  ['15083084809,', '15083084809'],
  ['+15083084809; ', '15083084809'],
])('reads %j as the number %s', (typed, stored) => {
  expect(readTypedNumber(typed)).toEqual({ is: 'number', stored })
})

test.each([
  ['1.50831E+10', /last digits are lost.*Format the column as text/],
  ['1,50831E+10', /last digits are lost/],
  ['4,42E+12', /last digits are lost/],
  ['1.50831e10', /last digits are lost/],
  ['1٫50831E+10', /last digits are lost/],
  ['1.50831E\u221210', /last digits are lost/],
  ['1,50831×10^10', /last digits are lost/],
  ['######', /error value/],
  ['#N/A', /error value/],
  ['#WERT!', /error value/],
  ['15083084801.0', /decimal number/],
  ['15083084801,00', /decimal number/],
  ['31.12.1999', /A date/],
  ['12/31/1999', /A date/],
  ['1999-12-31', /A date/],
  ['2024-01-05 00:00:00', /A date/],
  ['01.02.03', /A date/],
  ['', /Enter a phone number/],
  ['N/A', /no digits/],
  ['-', /no digits/],
  ['Jan-08', /the letter “J”/],
  ['1-800-FLOWERS', /the letter “F”/],
  ['+1508555124O', /the letter “O”/],
  ['1508XXXXXXX', /the letter “X”/],
  ['9351f46a-678c-43f5-b8a6-d4eb58d131af', /the letter “f”/],
  ['sip:alice@carrier.example', /no digits \(of the URI\)/],
  ['+1 508-555-1242 x12', /no extension. Remove “x12” and write \+1 508-555-1242/],
  ['+1 508-555-1243 ext. 7', /no extension. Remove “ext. 7”/],
  ['tel:+1-508-555-1243;ext=7', /no extension. Remove “ext=7”/],
  ['+15085551243,,7#', /no extension/],
  ['5085551243 #12', /no extension/],
  ['tel:7042;phone-context=example.com', /local number/],
  ['10.0.0.1', /IP address/],
  ['-5085551079', /minus sign/],
  ['1508+5551079', /first character/],
  ['5085551079, 5085551080', /can’t contain “,”/],
  ['5085551079;5085551080', /one number in each row/],
  ['5085551079/5085551080', /at most 15 digits/],
  ['+34 (0)91 555 1239', /no leading zero/],
  ['+1508555124', /too short/],
  ['+150855512400', /too long: numbers of \+1 have 11 digits/],
  ['+44 020 7946 0958', /no 0 after the country code/],
  ['0049 030 5550 1239', /no 0 after the country code/],
  ['+0508555124', /No country code begins with 0/],
  ['+999 555 1239', /no country code/],
  ['(508', /A bracket is missing/],
  ['508_555_1079', /can’t contain “_”/],
  ['*67', /can’t contain “\*”/],
  ['#31#', /can’t contain “#”/],
  ['2^4', /can’t contain “\^”/],
  ['15[0', /can’t contain “\[”/],
  ['1'.repeat(16), /at most 15 digits/],
  ['1'.repeat(133), /Use at most 132 characters/],
  ['[12', /can’t contain “\[”/],
  ['^1508(', /can’t parse this pattern/],
  ['1508 *', /can’t contain “\*”/],
  ['^1 508*', /can’t contain spaces/],
  ['1^508*', /matches no number/],
  ['1508$9*', /matches no number/],
  ['abc*1*', /A pattern with letters/],
  [String.raw`^\+1508`, /platform removes the \+/],
  [String.raw`\+1508\d+`, /platform removes the \+/],
  ['^[+]1508', /platform removes the \+/],
  [String.raw`^1508\d{7`, /matches no number: a count has braces/],
  [String.raw`^1508\d7}$`, /matches no number: a count has braces/],
  ['^$', /matches no number: it contains no digits/],
  ['001123456789', /^\+1123456789 is too short/],
  ['[TBD]', /Only one character in brackets/],
  ['[12]', /Only one character in brackets/],
  ['["15083084809","15083084810"]', /Only one character in brackets/],
  ['[Tt]otal.*', /A pattern with letters/],
  ['1508[abc]*', /A pattern with letters/],
  ['[508] 308 4809', /pattern can’t contain spaces/],
  ['+442079460950-59', /several numbers, or a range/],
  ['5083084800 - 4899', /several numbers, or a range/],
  ['+15083084800..09', /can be a range/],
  ['15083084800…15083084899', /can be a range/],
  ['508-308-4800/4899', /several numbers, or a range/],
  ['508 308 4809 / 10', /several numbers, or a range/],
  ['+4930123456/57', /several numbers, or a range/],
  ['415-555-2671-75', /several numbers, or a range/],
  ['+8 800 555 35 35', /^\+8 is no country code\. Numbers of Russia/],
  ['+8 (495) 123-45-67', /^\+8 is no country code\. Numbers of Russia/],
  ['2079460958\n2079460959', /several lines/],
  ['5083084\r\n5083085', /several lines/],
  ['+65 (0) 6123 4567', /no leading zero: remove the \(0\)/],
  ['+30 (0)210 1234567', /no leading zero/],
  ['+52 (01) 55 1234 5678', /no leading 01: remove the \(01\)/],
  ['+370 (8) 5 123 4567', /no leading 8: remove the \(8\)/],
  ['+61 (02) 9876 5432', /remove the 0 from \(02\)$/],
  ['0061 (02) 9876 5432', /remove the 0 from \(02\)$/],
  ['+61 (07) 3876 5432', /remove the 0 from \(07\)$/],
  ['+33 (01) 23 45 67 89', /remove the 0 from \(01\)$/],
  ['+32 (02) 555 12 12', /remove the 0 from \(02\)$/],
  ['+353 (01) 679 2222', /remove the 0 from \(01\)$/],
  ['+46 (08) 123 456 78', /remove the 0 from \(08\)$/],
  ['+972 (03) 555 1234', /remove the 0 from \(03\)$/],
  ['+63 (02) 8123 4567', /remove the 0 from \(02\)$/],
  ['+44 (020) 7946 0958', /remove the 0 from \+4402079460958$/],
  ['1 (0)508 308 4809', /no leading zero/],
  ['+30 0210 1234567', /begins with 0/],
  ['+1 008 308 4809', /begins with 0/],
  ['+44 00 7946 0958', /national calls/],
  ['+7 8 495 123 45 67', /prefix of national calls/],
  ['+36 06 1 123 4567', /prefix of national calls/],
  ['+54 11 15-2345-6789', /prefix of national calls/],
  ['+54 221 15 412-3456', /prefix of national calls/],
  ['15083084809¹', /can’t contain “¹”/],
  ['①②③', /can’t contain “①”/],
  ['1.234', /decimal number/],
  ['1,234', /decimal number/],
  ['12.50', /decimal number/],
  ['10.0.0', /looks like an IP address/],
  ['10.0.0.1/24', /looks like an IP address/],
  ['4.420794609580E+11', /^A number in scientific notation/],
  ['4.42079460958E+11', /^A number in scientific notation/],
  ['4.4207946E+11', /last digits are lost/],
])('rejects %j', (typed, why) => {
  expect(readTypedNumber(typed)).toMatchObject({ is: 'wrong', why: expect.stringMatching(why) })
})

test.each([
  ['+44*', '44*'],
  ['1508*', '1508*'],
  [String.raw`^1508\d{7}$`, String.raw`^1508\d{7}$`],
  [String.raw`^1(508|617)\d+$`, String.raw`^1(508|617)\d+$`],
  ['1508.......', '1508.......'],
  ['1508308..09', '1508308..09'],
  ['15085551[0-4]', '15085551[0-4]'],
  [String.raw`^1508\d{5,7}$`, String.raw`^1508\d{5,7}$`],
  [String.raw`^1508\d{5,}`, String.raw`^1508\d{5,}`],
  ['^alice$', '^alice$'],
  [String.raw`^\+?1508`, String.raw`^\+?1508`],
  ['.*', '.*'],
])('reads %j as the pattern %s', (typed, stored) => {
  expect(readTypedNumber(typed)).toEqual({ is: 'pattern', stored })
})

test.each([
  ['*98', String.raw`^\*98$`],
  ['**5', String.raw`^\*\*5$`],
  ['$14155550132', String.raw`^\$14155550132$`],
  ['1415555267?', String.raw`^1415555267\?$`],
  ['1-800-FLOWERS', '^1-800-FLOWERS$'],
  ['+1508X', '^1508X$'],
])('advises to write a pattern for %j that is accepted and matches the text', (typed, pattern) => {
  const reading = readTypedNumber(typed)
  expect(reading).toMatchObject({ is: 'wrong', why: expect.stringMatching(/write the pattern \^.*\$$/) })
  expect('why' in reading && reading.why.endsWith(` ${pattern}`)).toBe(true)
  expect(readTypedNumber(pattern)).toEqual({ is: 'pattern', stored: pattern })
  expect(toPatternRegExp(pattern).test(calledNumber(typed))).toBe(true)
})

test.each(['15083084809,15083084810', '+15083084809; +15083084810'])('asks for one number in a row for %j', (typed) => {
  const reading = readTypedNumber(typed)
  expect(reading).toMatchObject({ is: 'wrong', why: expect.stringMatching(/Write one number in each row$/) })
})

test('advises no pattern for a text that can’t be one', () => {
  expect(readTypedNumber('call 508')).toEqual({
    is: 'wrong',
    why: 'This is not a phone number: it contains the letter “c”.',
  })
})

test('only a text that a spreadsheet changed has lost the number', () => {
  expect(readTypedNumber('1.5E+10')).toHaveProperty('isLost', true)
  expect(readTypedNumber('bob')).not.toHaveProperty('isLost')
})

test('the trunk prefixes are those of the numbering plans', () => {
  const plans = Object.entries(metadata.country_calling_codes).flatMap(([callingCode, [mainCountry]]) => {
    const prefix = mainCountry && metadata.countries[mainCountry]?.[5]
    return typeof prefix === 'string' ? [[callingCode, prefix]] : []
  })
  expect(Object.fromEntries(trunkPrefixes)).toEqual(Object.fromEntries(plans))
})

test('the countries whose numbers can begin with 0 are those of the numbering plans', () => {
  const beginnings = Array.from({ length: 1000 }, (_, nth) => `0${String(nth).padStart(3, '0')}`)
  const canBeginWithZero = ([, , pattern = '', lengths = []]: readonly unknown[]): boolean => {
    const plan = new RegExp(`^(?:${String(pattern)})$`)
    return (lengths as number[]).some((length) =>
      ['0', '1', '5'].some((fill) =>
        beginnings.some((start) => plan.test(start.padEnd(length, fill).slice(0, length))),
      ),
    )
  }
  const countries = Object.entries(metadata.country_calling_codes).flatMap(([callingCode, codes]) =>
    codes.some((code) => canBeginWithZero(metadata.countries[code] ?? [])) ? [callingCode] : [],
  )
  const services = Object.entries(metadata.nonGeographic).flatMap(([callingCode, plan]) =>
    canBeginWithZero(plan) ? [callingCode] : [],
  )
  expect([...leadingZeroCodes].toSorted()).toEqual([...countries, ...services].toSorted())
})

test.each([
  ['+44 (0)20 7946 0958', '442079460958', true],
  ['+44 (020) 7946 0958', '442079460958', true],
  ['0061 (02) 9876 5432', '61298765432', true],
  ['+39 (06) 5550 1234', '390655501234', true],
  ['0044 20 7946 0958', '442079460958', true],
  ['+39 (0)6 5550', '39065550', true],
  ['sip:+442079460958@carrier.example', '442079460958', true],
  ['tel:+44-20-7946-0958', '442079460958', true],
  ['020 7946 0958', '2079460958', false],
  ['011 44 20 7946 0958', '442079460958', true],
  ['0011 44 20 7946 0958', '442079460958', true],
  ['+९१ ९८७६५', '9198765', true],
  ['44 (0)20 7946', '44207946', false],
  ['+7 (8) 495 123', '7495123', true],
  ['+36 (06) 1 234', '361234', true],
  ['+7 (812) 555-12-39', '78125551239', true],
  ['"+14155552671"', '14155552671', true],
  ["'+14155552671", '14155552671', true],
  ['+14155552671,', '14155552671', true],
  ['+ 49 30 901820', '4930901820', true],
  ['="14155552671"', '14155552671', false],
  ['415·555·2671', '4155552671', false],
  ['8 (495) 123-45-67', '4951234567', false],
  ['8-800-555-35-35', '8005553535', false],
  ['84912345678', '84912345678', false],
  ['+52 (01) 55 1234 5678', '525512345678', true],
  ['٠٢٠ ٧٩٤٦', '207946', false],
  ['(508) 308', '508308', false],
  ['0800', '0800', false],
  ['508-308-4809 ext. 12', '5083084809', false],
])('searches for %j by the digits %s', (typed, digits, isInternational) => {
  expect(searchedNumber(typed)).toEqual({ digits, isInternational })
})

test.each(['bob', '', '+', 'sip:bob@carrier.example', '10.0.0.1'])('finds no number to search for in %j', (typed) => {
  expect(searchedNumber(typed)).toBeUndefined()
})
