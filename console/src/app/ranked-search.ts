/** Finds by parts of words: every word of what is asked for must stand somewhere; what names it best comes first. */

/** Text as it is compared: without case, accents, and what only parts words. */
const folded = (text: string): string =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .replaceAll(/[\s._/-]+/g, ' ')
    .trim()

export interface Findable<Item> {
  item: Item
  /** made by `findable` */
  name: string
  also: string
}

/** Something to be found by its name, and less well by other texts, such as its sid. */
export const findable = <Item>(item: Item, name: string, also = ''): Findable<Item> => ({
  item,
  name: folded(name),
  also: folded(also),
})

const startsWord = (text: string, word: string): boolean => text.startsWith(word) || text.includes(` ${word}`)

/** How well a word is found: at the start of the name, of one of its words, within one, elsewhere; 0 is not at all. */
const worth = (word: string, { name, also }: Findable<unknown>): number => {
  if (name.startsWith(word)) return 4
  if (name.includes(word)) return startsWord(name, word) ? 3 : 2
  return startsWord(also, word) ? 1 : 0
}

export interface Matches<Item> {
  /** the best, best first */
  items: Item[]
  /** how many there are of all */
  total: number
  /** how good the first one is; 0 where there is none */
  best: number
}

export const rankMatches = <Item>(query: string, all: readonly Findable<Item>[], limit: number): Matches<Item> => {
  const asked = folded(query)
  const words = asked.split(' ')
  const scored = all.flatMap((one) => {
    const worths = words.map((word) => worth(word, one))
    if (worths.includes(0)) return []
    const whole = one.name === asked ? 2 : Number(one.name.startsWith(asked))
    return [{ one, score: whole + worths.reduce((sum, each) => sum + each, 0) }]
  })
  scored.sort((a, b) => b.score - a.score || a.one.name.length - b.one.name.length)
  return {
    items: scored.slice(0, limit).map(({ one }) => one.item),
    total: scored.length,
    best: scored[0]?.score ?? 0,
  }
}
