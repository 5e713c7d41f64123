import { useEffect } from 'react'

/** The document's title follows the page, and the focus goes to its heading when one comes from another page. */
export const usePageTitle = (title: string): void => {
  useEffect(() => {
    document.title = `${title} · Patchbay`
    const focused = document.activeElement
    if (focused === null || focused === document.body || !focused.isConnected)
      document.getElementById('page-title')?.focus({ preventScroll: true })
  }, [title])
}
