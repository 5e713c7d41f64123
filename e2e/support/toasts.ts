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
  let place: Element | null = null
  let shown: string[] = []
  window.toastsSaid = said
  new MutationObserver(() => {
    const region = document.querySelector('section[aria-label="Notifications"]')
    if (region === null) return
    const toasts = [...region.querySelectorAll('p')]
    // With a dialog they move into another region, made anew: what they say is not said again.
    const moved = region === place ? [] : [...shown]
    for (const toast of toasts.filter((one) => !seen.has(one))) {
      seen.add(toast)
      const at = moved.indexOf(toast.textContent)
      if (at < 0) said.push(toast.textContent)
      else moved.splice(at, 1)
    }
    place = region
    shown = toasts.map(({ textContent }) => textContent)
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
