import { same } from './compare-values.ts'

const isParent = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Returns the paths of the fields whose values differ, in the order of the values. A row has the path of its index. */
export const findChangedPaths = (now: object, before: object, path = ''): string[] =>
  Object.keys({ ...before, ...now }).flatMap((name) => {
    const [value, stored]: unknown[] = [Reflect.get(now, name), Reflect.get(before, name)]
    if (same(value, stored)) return []
    return isParent(value) && isParent(stored) ? findChangedPaths(value, stored, `${path}${name}.`) : [`${path}${name}`]
  })
