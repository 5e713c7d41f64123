import { flattenValues, isBranch, same } from './compare-values.ts'

/** Merges three versions of a form: as read, as edited by the user, and as changed by another user in the meantime. */

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
