/** Returns whether every word of the filter is in one of the values, ignoring case. */
export const matches = (filter: string, values: readonly (string | null)[]): boolean => {
  const lowerCased = values.filter((text) => text !== null).map((text) => text.toLowerCase())
  const terms = filter.toLowerCase().split(/\s+/).filter(Boolean)
  return terms.every((word) => lowerCased.some((text) => text.includes(word)))
}
