/** `*` matches any text, `?` any character. `\` escapes both. */
type Part = '*' | '?' | { character: string }

const parseGlob = (pattern: string): Part[] =>
  [...pattern.matchAll(/\\(.)|([\s\S])/gu)].map(([, quoted, plain = '']) =>
    quoted === undefined && (plain === '*' || plain === '?') ? plain : { character: quoted ?? plain },
  )

/**
 * Returns whether a name matches a glob pattern. Redis could match it too, but takes exponential time for some
 * patterns. This takes at most as many steps as the product of the two lengths.
 */
export const matchesGlob = (pattern: string, name: string): boolean => {
  const parts = parseGlob(pattern)
  const characters = Array.from(name)
  let [part, at] = [0, 0]
  /** Position of the last star, and the end of the text that it matches. */
  let [star, reach] = [-1, 0]
  while (at < characters.length) {
    const { [part]: expected } = parts
    if (expected === '*') {
      ;[star, reach] = [part, at]
      part += 1
    } else if (expected === '?' || (expected !== undefined && expected.character === characters[at])) {
      part += 1
      at += 1
    } else if (star >= 0) {
      reach += 1
      ;[part, at] = [star + 1, reach]
    } else return false
  }
  return parts.slice(part).every((rest) => rest === '*')
}
