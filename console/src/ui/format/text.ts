/** Singular and plural of a noun. */
export type Nouns = readonly [one: string, many: string]

/** Formats a number with separators of thousands, such as `1,250`. */
export const formatCount = (count: number): string => count.toLocaleString('en')

/** Returns "20 of 520 accounts" or "1 account". */
export const countText = (visible: number, total: number, [one, many]: Nouns): string => {
  const noun = total === 1 ? one : many
  return visible === total
    ? `${formatCount(total)} ${noun}`
    : `${formatCount(visible)} of ${formatCount(total)} ${noun}`
}

/** Returns a text with a capital first letter, as at the beginning of a sentence. */
export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
