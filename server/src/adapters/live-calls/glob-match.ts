/** `*` stands for any text, `?` for any character, `\` in front of either for itself. */
type Part = '*' | '?' | { character: string }

const partsOf = (pattern: string): Part[] =>
  [...pattern.matchAll(/\\(.)|([\s\S])/gu)].map(([, quoted, plain = '']) =>
    quoted === undefined && (plain === '*' || plain === '?') ? plain : { character: quoted ?? plain },
  )

/**
 * Whether a name is what a pattern stands for. Redis would match it, too, but takes exponential time for some patterns;
 * this takes as many steps as the two are long, multiplied, at most.
 */
export const isNamed = (pattern: string, name: string): boolean => {
  const parts = partsOf(pattern)
  const characters = Array.from(name)
  let [part, at] = [0, 0]
  /** the last star, and how far what it stands for reaches */
  let [star, reach] = [-1, 0]
  while (at < characters.length) {
    const { [part]: wanted } = parts
    if (wanted === '*') {
      ;[star, reach] = [part, at]
      part += 1
    } else if (wanted === '?' || (wanted !== undefined && wanted.character === characters[at])) {
      part += 1
      at += 1
    } else if (star >= 0) {
      reach += 1
      ;[part, at] = [star + 1, reach]
    } else return false
  }
  return parts.slice(part).every((left) => left === '*')
}
