import { type TextToken, tokenize } from './tokenize.ts'

/**
 * Parses and applies search queries: words that all have to be said, "phrases" in this order, and -words or -"phrases"
 * that must not be said.
 */

/** Words that follow each other within one turn. */
export type Phrase = readonly string[]

export interface TranscriptQuery {
  included: readonly Phrase[]
  excluded: readonly Phrase[]
}

export const maxQueryLength = 200
/** The newest calls that a search can return, on all pages together. */
export const maxFoundCalls = 1000
/** Each word is looked up separately. */
export const maxQueryTerms = 20

export type TranscriptQueryError = 'no_words' | 'too_many_words' | 'unclosed_quote'

/** Error messages of the API. The name of the parameter precedes them. */
export const transcriptQueryErrors: Readonly<Record<TranscriptQueryError, string>> = {
  no_words: 'must contain a word to search for. Words with a minus sign only exclude calls.',
  too_many_words: `must contain ${maxQueryTerms} words at most`,
  unclosed_quote: 'must contain two quotation marks for each phrase',
}

/** An optional minus sign, and a phrase in quotation marks or a text without spaces. A quotation mark begins a phrase. */
const partPattern = /(-?)(?:"([^"]*)"|([^\s"]+))/g

/** Typographic quotation marks, which some keyboards enter. */
const typographicQuotes = /[“”„‟«»]/g

/** Parses a query. Text that contains no letter or digit is ignored. */
export const parseTranscriptQuery = (text: string): TranscriptQuery | TranscriptQueryError => {
  const plain = text.replace(typographicQuotes, '"')
  if ((plain.split('"').length - 1) % 2 === 1) return 'unclosed_quote'
  const included: Phrase[] = []
  const excluded: Phrase[] = []
  for (const [, sign, quoted, unquoted] of plain.matchAll(partPattern)) {
    const phrase = tokenize(quoted ?? unquoted ?? '').map(({ term }) => term)
    if (phrase.length > 0) (sign === '-' ? excluded : included).push(phrase)
  }
  if (included.length === 0) return 'no_words'
  return [...included, ...excluded].flat().length > maxQueryTerms ? 'too_many_words' : { included, excluded }
}

/** Start and end of a match, in UTF-16 code units. The end is exclusive. */
export type MatchRange = [start: number, end: number]

const isPhraseAt = (tokens: readonly TextToken[], position: number, phrase: Phrase): boolean =>
  phrase.every((term, offset) => tokens[position + offset]?.term === term)

/** Returns where a text contains one of the phrases, in ascending order and without overlaps. */
export const findMatches = (text: string, phrases: readonly Phrase[]): MatchRange[] => {
  const tokens = tokenize(text)
  const ranges: MatchRange[] = []
  for (let position = 0; position < tokens.length; position += 1)
    for (const phrase of phrases) {
      if (!isPhraseAt(tokens, position, phrase)) continue
      const start = tokens[position]?.start ?? 0
      const end = tokens[position + phrase.length - 1]?.end ?? start
      const last = ranges.at(-1)
      if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end)
      else ranges.push([start, end])
    }
  return ranges
}

/** Maximum number of characters of an excerpt, and how many of them precede the first match. */
const maxExcerptLength = 240
const maxLeadLength = 60

export interface Excerpt {
  text: string
  matches: MatchRange[]
}

/** Returns the part of a text around its first match. An ellipsis stands for what is left out on either side. */
export const createExcerpt = (text: string, ranges: readonly MatchRange[]): Excerpt => {
  const first = ranges[0]?.[0] ?? 0
  if (text.length <= maxExcerptLength) return { text, matches: ranges.map(([start, end]) => [start, end]) }
  const tokens = tokenize(text)
  const from = first <= maxLeadLength ? 0 : (tokens.find(({ start }) => start >= first - maxLeadLength)?.start ?? first)
  const limit = from + maxExcerptLength
  // A word that is longer than the excerpt is cut between two characters.
  const until =
    text.length <= limit
      ? text.length
      : (tokens.findLast(({ start, end }) => start >= from && end <= limit)?.end ??
        limit - (isLowSurrogate(text, limit) ? 1 : 0))
  const lead = from === 0 ? '' : '… '
  const shift = lead.length - from
  return {
    text: `${lead}${text.slice(from, until)}${until === text.length ? '' : ' …'}`,
    matches: ranges
      .filter(([start]) => start >= from && start < until)
      .map(([start, end]) => [start + shift, Math.min(end, until) + shift]),
  }
}

const isLowSurrogate = (text: string, position: number): boolean => /[\udc00-\udfff]/.test(text.charAt(position))
