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

/** It comes once the page has shown, and never takes the place of the select in `container` while that is being used. */
export const useSearchSelect = (wanted: boolean, container: RefObject<HTMLElement | null>) => {
  const [Select, setSelect] = useState(loadedSearchSelect)
  useEffect(() => {
    if (!wanted || Select) return undefined
    let gone = false
    const replace = async () => {
      await idle()
      const Loaded = await searchSelect()
      const isUsed = () => container.current?.contains(document.activeElement) ?? false
      if (gone) return
      if (!isUsed()) setSelect(() => Loaded)
      else container.current?.addEventListener('focusout', () => setSelect(() => Loaded), { once: true })
    }
    // Where it cannot be had the platform's own select stays.
    replace().catch(() => {})
    return () => {
      gone = true
    }
  }, [wanted, Select, container])
  return { Select: wanted ? Select : undefined }
}

/** The one kind of ref that both selects take. */
export const asRef = (ref: Ref<HTMLElement> | undefined) => (control: HTMLElement | null) => {
  if (typeof ref === 'function') ref(control)
  else if (ref) ref.current = control
}
