import type { Screen } from '../routes/define-screen.ts'
import { chooseProvider } from '../session/current-provider.ts'

/** Remembers the filters of each list and the row that was changed last, for the way back from a record. */

const searches = new Map<string, object>()
const changed = new Map<string, string>()

/** Stores the filters of a list for the link back to it. */
export const saveListSearch = ({ path }: Screen, search: object): void => void searches.set(path, search)

/** Returns the link target of a list with the filters that the user left it with. */
export const listBackLink = <Path extends string, Search extends object>(to: Screen<Path, Search>) => ({
  to,
  search: (searches.get(to.path) ?? {}) as Search,
})

/** Marks the row of a created or changed record the next time its list opens. */
export const highlightRow = ({ path }: Screen, key: string): void => void changed.set(path, key)

/** Returns the key of the row to mark. The mark is used up by the call. */
export const consumeHighlight = ({ path }: Screen): string | undefined => {
  const key = changed.get(path)
  changed.delete(path)
  return key
}

/** Forgets all filters and marks, because they belong to the previous provider or user. */
export const clearListState = (): void => {
  searches.clear()
  changed.clear()
}

/** Continues in another service provider. The filters of the previous one do not apply there. */
export const switchProvider = (service_provider_sid: string): void => {
  clearListState()
  chooseProvider(service_provider_sid)
}
