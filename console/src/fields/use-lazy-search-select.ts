import { type Ref, type RefObject, useEffect, useState } from 'react'
import { idle } from '../lazy/prefetch-when-idle.ts'
import { loadedSearchSelect, searchSelect } from './search-select.lazy.ts'

/** Maximum number of options of a plain select, which is easier to use than a searchable one. */
export const plainSelectLimit = 10

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

/** Converts a ref to a callback, which both kinds of select accept. */
export const asRef = (ref: Ref<HTMLElement> | undefined) => (control: HTMLElement | null) => {
  if (typeof ref === 'function') ref(control)
  else if (ref) ref.current = control
}
