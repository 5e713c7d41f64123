import type { Page } from '@playwright/test'

/** Holds the responses to matching requests until the returned function is called. */
export const hold = async (page: Page, what: string | RegExp): Promise<() => void> => {
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  await page.route(what, async (route) => {
    await released
    await route.fallback()
  })
  return release
}
