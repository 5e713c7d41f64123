/** Merges three versions of a form: as read, as edited here, and as changed by another user since. */

type Leaves = ReadonlyMap<string, unknown>

const isBranch = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Every field by its path, as react-hook-form names it; a list is one field. */
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
  /** the field, as react-hook-form names it */
  path: string
  mineValue: unknown
  theirsValue: unknown
}

export interface Merge<Values> {
  /** theirs, with all that was changed here */
  mine: Values
  /** theirs, with what was changed here alone */
  theirs: Values
  /** the fields that both have changed, to different values */
  conflicts: Conflict[]
}

export const mergeValues = <Values extends object>(base: Values, mine: Values, theirs: Values): Merge<Values> => {
  const [before, here, there] = [flattenValues(base), flattenValues(mine), flattenValues(theirs)]
  const changed = [...here].filter(([path, value]) => !same(value, before.get(path)))
  const isTheirs = (path: string) => !same(there.get(path), before.get(path))
  const put = (leaves: typeof changed) =>
    leaves.reduce((values, [path, value]) => withLeaf(values, path, value), theirs)
  const conflicts = changed
    .filter(([path, value]) => isTheirs(path) && !same(value, there.get(path)))
    .map(([path, value]) => ({ path, mine: value, theirs: there.get(path) }))
  return { mine: put(changed), theirs: put(changed.filter(([path]) => !isTheirs(path))), conflicts }
}

/** The fields that only the others have changed, by path, with what they are now. */
export const untouched = (base: object, mine: object, theirs: object): Leaves => {
  const [before, here] = [flattenValues(base), flattenValues(mine)]
  return new Map(
    [...flattenValues(theirs)].filter(
      ([path, value]) => !same(value, before.get(path)) && same(here.get(path), before.get(path)),
    ),
  )
}

export const isSame = (one: object, other: object): boolean => {
  const [here, there] = [flattenValues(one), flattenValues(other)]
  return here.size === there.size && [...here].every(([path, value]) => same(value, there.get(path)))
}
