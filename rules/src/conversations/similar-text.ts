/** Compares what two sources say about the same utterance. Pure. */

/** Longer texts are compared by their beginnings. */
const maxCompared = 200

/** Returns the letters and digits of a text in lower case, because sources differ in punctuation and spaces. */
export const normalizeText = (text: string): string =>
  text
    .slice(0, maxCompared)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '')

/** A text that is prepared for comparisons. */
export interface ComparableText {
  normalized: string
  /** All pairs of neighboring characters, sorted. */
  pairs: Uint32Array
}

export const toComparable = (text: string): ComparableText => {
  const normalized = normalizeText(text)
  const pairs = Uint32Array.from({ length: Math.max(0, normalized.length - 1) }, (_, at) => {
    // Shifting would make the number negative.
    return normalized.charCodeAt(at) * 0x1_00_00 + normalized.charCodeAt(at + 1)
  })
  return { normalized, pairs: pairs.toSorted() }
}

const countCommon = (a: Uint32Array, b: Uint32Array): number => {
  let [common, atA, atB] = [0, 0, 0]
  while (atA < a.length && atB < b.length) {
    const [pairA = 0, pairB = 0] = [a[atA], b[atB]]
    if (pairA === pairB) common += 1
    if (pairA <= pairB) atA += 1
    if (pairB <= pairA) atB += 1
  }
  return common
}

/** A shorter part of a text can occur in it by chance. */
const minPartLength = 8
const partSimilarity = 0.9

/**
 * Returns the similarity of two texts from 0 to 1: the share of pairs of characters that both have (Sørensen-Dice). A
 * text that is a part of the other one has 0.9, because a source can cut an utterance or split it.
 */
export const getSimilarity = (a: ComparableText, b: ComparableText): number => {
  if (a.normalized === b.normalized) return a.normalized === '' ? 0 : 1
  const [shorter, longer] =
    a.normalized.length < b.normalized.length ? [a.normalized, b.normalized] : [b.normalized, a.normalized]
  if (shorter.length >= minPartLength && longer.includes(shorter)) return partSimilarity
  const all = a.pairs.length + b.pairs.length
  return all === 0 ? 0 : (2 * countCommon(a.pairs, b.pairs)) / all
}
