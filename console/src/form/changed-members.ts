/**
 * The members that differ from what was there before, for a change that sends nothing else: what others changed
 * meanwhile stays theirs, and the platform's own server makes a new webhook of each one that comes back unchanged.
 */
export const changedMembers = <T extends object>(now: T, before: T): Partial<T> => {
  const same = (name: string, value: unknown) => JSON.stringify(value) === JSON.stringify(Reflect.get(before, name))
  // Object.fromEntries forgets which members it was given.
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => !same(name, value))) as Partial<T>
}
