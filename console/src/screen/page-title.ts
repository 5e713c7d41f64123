import { useEffect } from 'react'

/** The document's title follows the page. */
export const usePageTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Patchbay`
  }, [title])
}
