import type { ComponentType } from 'react'
import type { SearchSelectProps } from '../ui/fields/search-select.tsx'

/** Loads the searchable select, and the library that it uses, as a separate chunk. */

let loaded: ComponentType<SearchSelectProps> | undefined

/** Loads the searchable select. */
export const searchSelect = async (): Promise<ComponentType<SearchSelectProps>> => {
  loaded ??= (await import('../ui/fields/search-select.tsx')).SearchSelect
  return loaded
}

/** Returns the searchable select if it has been loaded. */
export const loadedSearchSelect = () => loaded
