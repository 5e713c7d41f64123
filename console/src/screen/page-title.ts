import { useEffect } from 'react'

/** Sets the title of the document. Public pages load it without the page header. */
export const usePageTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Patchbay`
  }, [title])
}
