import metadata from 'libphonenumber-js/min/metadata'
import { expect, test } from 'vitest'
import { searchedNumber } from './format.ts'
import { validateInternationalLength } from './number-lengths.ts'
import { readTypedNumber as readWithLength } from './read-number.ts'
import { trunkPrefixes } from './trunk-prefixes.ts'

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
  ['+1 508-555-1242 x12', /no extension. Remove “x12” and import \+1 508-555-1242/],
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
])('rejects %j', (typed, why) => {
  expect(readTypedNumber(typed)).toMatchObject({ is: 'wrong', why: expect.stringMatching(why) })
})

test.each([
  ['+44*', '44*'],
  ['1508*', '1508*'],
  [String.raw`^1508\d{7}$`, String.raw`^1508\d{7}$`],
  [String.raw`^1(508|617)\d+$`, String.raw`^1(508|617)\d+$`],
  ['1508.......', '1508.......'],
  ['15085551[0-4]', '15085551[0-4]'],
  ['^alice$', '^alice$'],
  ['.*', '.*'],
])('reads %j as the pattern %s', (typed, stored) => {
  expect(readTypedNumber(typed)).toEqual({ is: 'pattern', stored })
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

test.each([
  ['+44 (0)20 7946 0958', '442079460958', true],
  ['0044 20 7946 0958', '442079460958', true],
  ['+39 (0)6 5550', '39065550', true],
  ['sip:+442079460958@carrier.example', '442079460958', true],
  ['tel:+44-20-7946-0958', '442079460958', true],
  ['020 7946 0958', '2079460958', false],
  ['011 44 20 7946 0958', '442079460958', true],
  ['+7 (8) 495 123', '7495123', true],
  ['+36 (06) 1 234', '361234', true],
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
