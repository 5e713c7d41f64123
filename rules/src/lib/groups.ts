/** Adds an item to its group. */
export const addToGroup = <Key, Item>(groups: Map<Key, Item[]>, key: Key, item: Item): void => {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [item])
  else group.push(item)
}

/** Groups items by key. Both the groups and the items of each are in the order of the input. */
export const groupBy = <Key, Item>(items: Iterable<Item>, getKey: (item: Item) => Key): Map<Key, Item[]> => {
  const groups = new Map<Key, Item[]>()
  for (const item of items) addToGroup(groups, getKey(item), item)
  return groups
}
