/** A filter over shown columns: every word must stand in one of them; case does not matter. */
export const matches = (filter: string, shown: readonly (string | null)[]): boolean => {
  const texts = shown.filter((text) => text !== null).map((text) => text.toLowerCase())
  const words = filter.toLowerCase().split(/\s+/).filter(Boolean)
  return words.every((word) => texts.some((text) => text.includes(word)))
}
