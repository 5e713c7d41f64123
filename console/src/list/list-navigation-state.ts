import type { Screen } from '../routes/define-screen.ts'

/** How lists were left, so that who comes back from a record finds the filter, the page, and the row they changed. */

const searches = new Map<string, object>()
const changed = new Map<string, string>()

export const saveListSearch = ({ path }: Screen, search: object): void => void searches.set(path, search)

/** The way back to a list, as it was left. */
export const listBackLink = <Path extends string, Search extends object>(to: Screen<Path, Search>) => ({
  to,
  search: (searches.get(to.path) ?? {}) as Search,
})

/** A record of the list was made or changed: its row is marked when the list shows again. */
export const highlightRow = ({ path }: Screen, key: string): void => void changed.set(path, key)

/** The row to mark, once. */
export const consumeHighlight = ({ path }: Screen): string | undefined => {
  const key = changed.get(path)
  changed.delete(path)
  return key
}

/** What was looked at in one provider says nothing in another. */
export const clearListState = (): void => {
  searches.clear()
  changed.clear()
}
