import { toPatternRegExp } from '@patchbay/rules/phone-number/patterns'
import { expect, test } from 'vitest'
import { describePattern, patternExamples } from './pattern-examples.ts'

test.each([
  '1508*',
  '44*',
  String.raw`^1508\d{7}$`,
  String.raw`^1(508|617)\d+$`,
  '1508.......',
  '15085551[0-4]',
  '^1508555107[^0-5]$',
  String.raw`^\+?1508\d{3,5}`,
  '^(?:1|44)20.*$',
  String.raw`^\*67\d{4}$`,
  '^alice$',
  '^#31#$',
  '^[a-z]{3}$',
])('creates two different numbers, or the only one, that %j matches', (pattern) => {
  const examples = patternExamples(pattern)
  expect(examples.length).toBeGreaterThan(0)
  for (const example of examples) expect(example).toMatch(toPatternRegExp(pattern))
  expect(new Set(examples).size).toBe(examples.length)
})

test.each([String.raw`^(?!1900)\d+$`, String.raw`^(1)\1$`, String.raw`^\p{L}$`])(
  'creates no example of %j, whose constructs are unknown',
  (pattern) => {
    expect(patternExamples(pattern)).toEqual([])
    expect(describePattern(pattern)).toMatch(/could not create a number/)
  },
)

test('gives both alternatives', () => {
  expect(patternExamples(String.raw`^1(508|617)\d{2}$`).map((one) => one.slice(0, 4))).toEqual(['1508', '1617'])
})

test.each([
  ['1508*', /^A pattern, not a number\. It matches 15085550123 and .*, and also 4915085550123, because .*anywhere/],
  [String.raw`^1508\d{7}$`, /^A pattern, not a number\. It matches 15085550123 and \d+\.$/],
  ['.*', /matches every called number\.$/],
  ['*', /matches every called number\.$/],
  [String.raw`^\d+$`, /matches every called number that consists of digits\.$/],
  [String.raw`^\d+`, /matches every called number that begins with a digit\.$/],
  [String.raw`\d+$`, /matches every called number that ends with a digit\.$/],
  [String.raw`\d+`, /matches every called number that contains a digit\.$/],
  [String.raw`^.\d*$`, /^A pattern, not a number/],
  // The platform removes the + of a called number before it compares.
  [String.raw`^(\+44|1)508$`, /^A pattern, not a number\. It matches 1508\.$/],
  [String.raw`^\+1508$`, /could not create a number/],
  [String.raw`^\d{3,5}$`, /^A pattern, not a number\. It matches 555\.$/],
  [String.raw`^\w+$`, /^A pattern, not a number\. It matches \d+ and \d+\.$/],
  [String.raw`\d{10}`, /and also 49\d{10}, because it matches anywhere/],
  ['^1508|617', /It matches 1508 and 617, and also 49617, .* Write \^\(1508\|617\) to match/],
  ['617|^1508', /It matches 617 and 1508, and also 49617, because it matches anywhere/],
  [
    String.raw`1415\d{7}|1510\d{7}`,
    /also 491415\d{7}, because .* Write \^\(1415\\d\{7\}\|1510\\d\{7\}\) to match from the beginning\.$/,
  ],
  [String.raw`^1415\d{7}|1510\d{7}`, /also 491510\d{7}, because/],
  [String.raw`^1415\d{7}|1510\d{7}$`, /also 491510\d{7}, because .* Write \^\(1415\\d\{7\}\|1510\\d\{7\}\$\) to match/],
  [String.raw`^(1415\d{7}|1510\d{7})`, /^A pattern, not a number\. It matches 1415\d{7} and 1510\d{7}\.$/],
  ['1415|1510*', /Write \^\(1415\|1510\\d\*\) to match/],
  ['15[5|]', /also 49155, .* Start it with \^/],
])('describes %j', (pattern, text) => {
  expect(describePattern(pattern)).toMatch(text)
})
