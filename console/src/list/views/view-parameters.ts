/** The search parameters that a saved view contains, and the differences between them. */

export type ViewParameters = Readonly<Record<string, string>>

/** Parameters that describe a visit, not a view. */
const ofVisit = new Set(['page', 'open', 'tab', 'view'])

/** Returns the parameters of a list that belong to a view, as texts. */
export const toViewParameters = (search: object): ViewParameters =>
  Object.fromEntries(
    Object.entries(search)
      .filter(([name, value]) => !ofVisit.has(name) && value !== undefined)
      .map(([name, value]) => [name, String(value)]),
  )

/** Returns whether two lists have the same parameters with the same values. */
export const isSameView = (one: ViewParameters, other: ViewParameters): boolean => {
  const names = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...names].every((name) => one[name] === other[name])
}
