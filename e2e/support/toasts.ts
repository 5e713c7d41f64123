import { expect, type Page } from '@playwright/test'

/**
 * A toast goes after five seconds, and on a slow machine a test may look later: so the page keeps what toasts have said
 * since it was loaded.
 */

declare global {
  interface Window {
    toastsSaid?: string[]
  }
}

/** An init script, so that it is there before the first toast. */
export const keepToasts = (): void => {
  const said: string[] = []
  const seen = new WeakSet<Element>()
  window.toastsSaid = said
  new MutationObserver(() => {
    for (const toast of document.querySelectorAll('section[aria-label="Notifications"] p')) {
      if (!seen.has(toast)) said.push(toast.textContent)
      seen.add(toast)
    }
  }).observe(document, { childList: true, subtree: true })
}

/** A toast says it, in part or whole, or has since the last time that it was asked for. */
export const expectToast = (page: Page, text: string): Promise<void> =>
  expect
    .poll(() =>
      page.evaluate((wanted) => {
        const said = window.toastsSaid ?? []
        const at = said.findIndex((one) => one.includes(wanted))
        return at < 0 ? said.join('\n') : said.splice(at, 1)[0]
      }, text),
    )
    .toContain(text)
