/** Finds environment variables that are probably misspelled settings. */

/** Beginnings of names that only settings of Patchbay have. */
const ownPrefixes = ['PATCHBAY_', 'INTAKE_'] as const

/** Shorter names are near to many names of other programs. */
const minLength = 6
const maxDistance = 2

/** Returns the number of insertions, deletions, and replacements between two texts (Levenshtein distance). */
export const editDistance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = (row[column - 1] ?? 0) + (to[column - 1] === from[index] ? 0 : 1)
      next.push(Math.min(replaced, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    row = next
  }
  return row[to.length] ?? 0
}

const findSimilar = (name: string, settings: readonly string[]): string | undefined => {
  const spelling = name.toUpperCase().replaceAll(/[-.]/g, '_')
  const distances = settings
    .filter((setting) => Math.abs(setting.length - spelling.length) <= maxDistance)
    .map((setting) => ({ setting, distance: editDistance(spelling, setting) }))
    .filter(({ distance }) => distance <= maxDistance)
  return distances.toSorted((a, b) => a.distance - b.distance)[0]?.setting
}

export interface UnknownSetting {
  name: string
  /** A setting with a similar name, or null. */
  suggestion: string | null
}

/**
 * Returns the variables that are no settings, and whose names are similar to one or begin with a prefix of Patchbay.
 * @param settings the names of all settings
 */
export const findUnknownSettings = (variables: readonly string[], settings: readonly string[]): UnknownSetting[] =>
  variables
    .filter((name) => !settings.includes(name))
    .map((name) => ({ name, suggestion: name.length < minLength ? null : (findSimilar(name, settings) ?? null) }))
    .filter(({ name, suggestion }) => suggestion !== null || ownPrefixes.some((prefix) => name.startsWith(prefix)))
