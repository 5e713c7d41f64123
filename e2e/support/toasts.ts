import { expect, type Page } from '@playwright/test'

/**
 * Records the texts of all toasts since the page was loaded. A toast disappears after five seconds, and on a slow
 * machine a test can check for it later.
 */

declare global {
  interface Window {
    toastsSaid?: string[]
  }
}

/** Runs as an init script, before the first toast. */
export const keepToasts = (): void => {
  const recordedToasts: string[] = []
  const seen = new WeakSet<Element>()
  let currentRegion: Element | null = null
  let visibleToasts: string[] = []
  window.toastsSaid = recordedToasts
  new MutationObserver(() => {
    const region = document.querySelector('section[aria-label="Notifications"]')
    if (region === null) return
    const toasts = [...region.querySelectorAll('p')]
    // When a dialog opens, toasts are recreated in another region. They must not be recorded again.
    const moved = region === currentRegion ? [] : [...visibleToasts]
    for (const toast of toasts.filter((one) => !seen.has(one))) {
      seen.add(toast)
      const at = moved.indexOf(toast.textContent)
      if (at < 0) recordedToasts.push(toast.textContent)
      else moved.splice(at, 1)
    }
    currentRegion = region
    visibleToasts = toasts.map(({ textContent }) => textContent)
  }).observe(document, { childList: true, subtree: true })
}

/** Asserts that a toast contains the text. Each recorded toast satisfies only one assertion. */
export const expectToast = (page: Page, text: string): Promise<void> =>
  expect
    .poll(() =>
      page.evaluate((expectedText) => {
        const toasts = window.toastsSaid ?? []
        const at = toasts.findIndex((one) => one.includes(expectedText))
        return at < 0 ? toasts.join('\n') : toasts.splice(at, 1)[0]
      }, text),
    )
    .toContain(text)
