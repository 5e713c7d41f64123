import type { ComponentType } from 'react'
import type { SearchSelectProps } from '../ui/search-select.tsx'

/** The select that can be searched, with the library it brings, as a chunk of its own. */

let loaded: ComponentType<SearchSelectProps> | undefined

export const searchSelect = async (): Promise<ComponentType<SearchSelectProps>> => {
  loaded ??= (await import('../ui/search-select.tsx')).SearchSelect
  return loaded
}

export const loadedSearchSelect = () => loaded
