import { describe, expect, test } from 'vitest'
import { tokenize } from './tokenize.ts'
import { createExcerpt, findMatches, parseTranscriptQuery } from './transcript-query.ts'

const listTerms = (text: string): string[] => tokenize(text).map(({ term }) => term)

describe('words of a text', () => {
  test.each([
    ['Café CRÈME', ['cafe', 'creme']],
    ["Don't e-mail me.", ['don', 't', 'e', 'mail', 'me']],
    ['ΟΔΟΣ Ёлка İstanbul', ['οδοσ', 'елка', 'istanbul']],
    ['退款 ok', ['退', '款', 'ok']],
    ['हिन्दी', ['हिन्दी']],
    ['１２３ ½', ['123', '12']],
    ['… — !?', []],
  ])('of %s', (text, expected) => {
    expect(listTerms(text)).toEqual(expected)
  })

  test('have their positions in the text, also after an emoji', () => {
    const text = '📞 Café!'
    const [token] = tokenize(text)
    expect(text.slice(token?.start, token?.end)).toBe('Café')
  })
})

describe('a query', () => {
  test.each([
    ['refund now', { included: [['refund'], ['now']], excluded: [] }],
    ['"my refund" -"not now" -later', { included: [['my', 'refund']], excluded: [['not', 'now'], ['later']] }],
    ['“my refund”', { included: [['my', 'refund']], excluded: [] }],
    ['e-mail', { included: [['e', 'mail']], excluded: [] }],
    ['refund - ! ""', { included: [['refund']], excluded: [] }],
    ['NEAR(a OR b)', { included: [['near', 'a'], ['or'], ['b']], excluded: [] }],
    ['', 'no_words'],
    ['-refund', 'no_words'],
    ['"refund', 'unclosed_quote'],
    ['a '.repeat(21), 'too_many_words'],
  ])('%s', (text, expected) => {
    expect(parseTranscriptQuery(text)).toEqual(expected)
  })
})

describe('matches', () => {
  test('are where the phrases are, merged if they overlap', () => {
    const text = 'To be or not to be'
    expect(
      findMatches(text, [
        ['to', 'be'],
        ['be', 'or'],
      ]),
    ).toEqual([
      [0, 8],
      [13, 18],
    ])
    expect(findMatches(text, [['bee']])).toEqual([])
  })

  test('keep their place in an excerpt that begins and ends with whole words', () => {
    const text = `${'word '.repeat(200)}Café ${'tail '.repeat(200)}`
    const excerpt = createExcerpt(text, findMatches(text, [['cafe']]))
    const [[start, end] = [0, 0]] = excerpt.matches
    expect(excerpt.text.slice(start, end)).toBe('Café')
    expect(excerpt.text).toMatch(/^… word .*tail …$/)
    expect(excerpt.text.length).toBeLessThan(250)
  })

  test('of an excerpt never end in half of a character', () => {
    const text = '📞'.repeat(300)
    expect(createExcerpt(text, []).text).not.toMatch(/[\ud800-\udbff](?![\udc00-\udfff])/)
    const long = `${'a'.repeat(500)} b`
    const { text: cut, matches } = createExcerpt(long, findMatches(long, [['a'.repeat(500)]]))
    expect(matches.every(([, end]) => end <= cut.length)).toBe(true)
  })
})
