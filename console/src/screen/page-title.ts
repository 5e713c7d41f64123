import { useEffect } from 'react'

/** Sets the title of the document. */
export const usePageTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Patchbay`
  }, [title])
}
