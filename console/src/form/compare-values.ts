/** Compares the values of forms, field by field. */

type Leaves = ReadonlyMap<string, unknown>

export const isBranch = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the values by the path of their field, as in react-hook-form. A list is one field. */
export const flattenValues = (values: object, path = ''): Leaves =>
  new Map(
    Object.entries(values).flatMap(([name, value]) =>
      isBranch(value) ? [...flattenValues(value, `${path}${name}.`)] : [[`${path}${name}`, value] as const],
    ),
  )

export const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

/** Returns the fields that only the remote side has changed, by path, with their remote values. */
export const untouched = (base: object, local: object, remote: object): Leaves => {
  const [baseLeaves, localLeaves] = [flattenValues(base), flattenValues(local)]
  return new Map(
    [...flattenValues(remote)].filter(
      ([path, value]) => !same(value, baseLeaves.get(path)) && same(localLeaves.get(path), baseLeaves.get(path)),
    ),
  )
}

/** Returns whether two sets of values have the same fields with the same values. */
export const isSame = (one: object, other: object): boolean => {
  const [leaves, otherLeaves] = [flattenValues(one), flattenValues(other)]
  return leaves.size === otherLeaves.size && [...leaves].every(([path, value]) => same(value, otherLeaves.get(path)))
}
