/**
 * Returns the members that differ from the values before. A change sends only these: members that another user has
 * changed in the meantime are kept, and jambonz would create another webhook for each webhook in the request.
 */
export const changedMembers = <T extends object>(now: T, before: T): Partial<T> => {
  const same = (name: string, value: unknown) => JSON.stringify(value) === JSON.stringify(Reflect.get(before, name))
  // The cast is safe because the members come from `now`. Object.fromEntries loses their types.
  return Object.fromEntries(Object.entries(now).filter(([name, value]) => !same(name, value))) as Partial<T>
}
