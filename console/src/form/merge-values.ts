/** Merges three versions of a form: as read, as edited by the user, and as changed by another user in the meantime. */

type Leaves = ReadonlyMap<string, unknown>

const isBranch = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Returns the values by the path of their field, as in react-hook-form. A list is one field. */
const flattenValues = (values: object, path = ''): Leaves =>
  new Map(
    Object.entries(values).flatMap(([name, value]) =>
      isBranch(value) ? [...flattenValues(value, `${path}${name}.`)] : [[`${path}${name}`, value] as const],
    ),
  )

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)

const withLeaf = <Values extends object>(values: Values, path: string, value: unknown): Values => {
  const [name = '', ...rest] = path.split('.')
  const branch: unknown = Reflect.get(values, name)
  return { ...values, [name]: rest.length > 0 && isBranch(branch) ? withLeaf(branch, rest.join('.'), value) : value }
}

export interface Conflict {
  /** The name of the field in react-hook-form. */
  path: string
  localValue: unknown
  remoteValue: unknown
}

export interface Merge<Values> {
  /** The remote values with all local changes. */
  keepLocal: Values
  /** The remote values with the local changes that do not conflict. */
  keepRemote: Values
  /** The fields that both sides have changed to different values. */
  conflicts: Conflict[]
}

/**
 * Merges local and remote changes.
 * @param base values that both sides started from
 */
export const mergeValues = <Values extends object>(base: Values, local: Values, remote: Values): Merge<Values> => {
  const [baseLeaves, localLeaves, remoteLeaves] = [flattenValues(base), flattenValues(local), flattenValues(remote)]
  const changed = [...localLeaves].filter(([path, value]) => !same(value, baseLeaves.get(path)))
  const isChangedRemotely = (path: string) => !same(remoteLeaves.get(path), baseLeaves.get(path))
  const put = (leaves: typeof changed) =>
    leaves.reduce((values, [path, value]) => withLeaf(values, path, value), remote)
  const conflicts = changed
    .filter(([path, value]) => isChangedRemotely(path) && !same(value, remoteLeaves.get(path)))
    .map(([path, value]) => ({ path, localValue: value, remoteValue: remoteLeaves.get(path) }))
  return { keepLocal: put(changed), keepRemote: put(changed.filter(([path]) => !isChangedRemotely(path))), conflicts }
}

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
