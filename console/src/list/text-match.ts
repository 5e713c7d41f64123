/** A filter over shown columns: every word must stand in one of them; case does not matter. */
export const matches = (filter: string, values: readonly (string | null)[]): boolean => {
  const lowerCased = values.filter((text) => text !== null).map((text) => text.toLowerCase())
  const terms = filter.toLowerCase().split(/\s+/).filter(Boolean)
  return terms.every((word) => lowerCased.some((text) => text.includes(word)))
}
