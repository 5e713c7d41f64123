/** Searches by parts of words: every word of the query must match somewhere. The best matches by name come first. */

/** Normalizes text for comparison: lower case, without accents and separators. */
const folded = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[\s._/-]+/g, ' ')
    .trim()

export interface Findable<Item> {
  item: Item
  /** The normalized name, created by `findable`. */
  name: string
  also: string
}

/** Describes something that can be found by its name, and with a lower rank by other texts such as its SID. */
export const findable = <Item>(item: Item, name: string, also = ''): Findable<Item> => ({
  item,
  name: folded(name),
  also: folded(also),
})

const startsWord = (text: string, word: string): boolean => text.startsWith(word) || text.includes(` ${word}`)

/**
 * Ranks a match: the start of the name (4), the start of a word (3), within a word (2), another text (1), or none (0).
 */
const worth = (word: string, { name, also }: Findable<unknown>): number => {
  if (name.startsWith(word)) return 4
  if (name.includes(word)) return startsWord(name, word) ? 3 : 2
  return startsWord(also, word) ? 1 : 0
}

export interface Matches<Item> {
  /** The matches, best first. */
  items: Item[]
  /** The total number of matches. */
  total: number
  /** The rank of the best match, or 0 if there is none. */
  best: number
}

export const rankMatches = <Item>(query: string, all: readonly Findable<Item>[], limit: number): Matches<Item> => {
  const normalizedQuery = folded(query)
  const queryTerms = normalizedQuery.split(' ')
  const scored = all.flatMap((one) => {
    const worths = queryTerms.map((word) => worth(word, one))
    if (worths.includes(0)) return []
    const whole = one.name === normalizedQuery ? 2 : Number(one.name.startsWith(normalizedQuery))
    return [{ one, score: whole + worths.reduce((sum, each) => sum + each, 0) }]
  })
  scored.sort((a, b) => b.score - a.score || a.one.name.length - b.one.name.length)
  return {
    items: scored.slice(0, limit).map(({ one }) => one.item),
    total: scored.length,
    best: scored[0]?.score ?? 0,
  }
}
