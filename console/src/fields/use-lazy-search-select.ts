import { type ComponentType, type Ref, type RefObject, useEffect, useState } from 'react'
import type { SearchSelectProps } from '../ui/search-select.tsx'
import { idle } from '../lazy/prefetch-when-idle.ts'

/** The select that can be searched, with the library it brings, as a chunk of its own. */

/** Up to so many choices the platform's own select serves better. */
export const plainSelectLimit = 10

let loaded: ComponentType<SearchSelectProps> | undefined

export const searchSelect = async (): Promise<ComponentType<SearchSelectProps>> => {
  loaded ??= (await import('../ui/search-select.tsx')).SearchSelect
  return loaded
}

const loadedSearchSelect = () => loaded

/**
 * Loads the searchable select after the page has rendered. It never replaces a plain select in `container` that is in
 * use.
 */
export const useSearchSelect = (isNeeded: boolean, container: RefObject<HTMLElement | null>) => {
  const [Select, setSelect] = useState(loadedSearchSelect)
  useEffect(() => {
    if (!isNeeded || Select) return undefined
    let isUnmounted = false
    const replace = async () => {
      await idle()
      const Loaded = await searchSelect()
      const isUsed = () => container.current?.contains(document.activeElement) ?? false
      if (isUnmounted) return
      if (!isUsed()) setSelect(() => Loaded)
      else container.current?.addEventListener('focusout', () => setSelect(() => Loaded), { once: true })
    }
    // If the chunk cannot load, the plain select stays.
    replace().catch(() => {})
    return () => {
      isUnmounted = true
    }
  }, [isNeeded, Select, container])
  return { Select: isNeeded ? Select : undefined }
}

/** The one kind of ref that both selects take. */
export const asRef = (ref: Ref<HTMLElement> | undefined) => (control: HTMLElement | null) => {
  if (typeof ref === 'function') ref(control)
  else if (ref) ref.current = control
}
