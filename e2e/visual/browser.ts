import { type Browser, chromium, expect, type Page } from '@playwright/test'
import { ensureProgram } from '../../scripts/run/programs.mjs'
import { now } from './demo-server.ts'

/** The browser that takes the pictures. */

/** Runs `work` with a browser that renders in the same way on every machine. */
export const withBrowser = async <T>(work: (browser: Browser) => Promise<T>): Promise<T> => {
  const browser = await chromium.launch({
    executablePath: await ensureProgram('chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none', '--force-color-profile=srgb'],
  })
  try {
    return await work(browser)
  } finally {
    await browser.close()
  }
}

export type ColorTheme = 'light' | 'dark'

interface PageOptions {
  theme?: ColorTheme
  /** Absent for a visitor. */
  token?: string | undefined
  /** Pixels of a screenshot per pixel of the screen. */
  scale?: number
}

/** Opens a page whose clock stands still. It is signed in if there is a token. */
export const openPage = async (
  browser: Browser,
  baseURL: string,
  { theme = 'light', token, scale = 1 }: PageOptions,
): Promise<Page> => {
  const context = await browser.newContext({
    baseURL,
    // The policy of the console forbids the style that hides toasts.
    bypassCSP: true,
    colorScheme: theme,
    deviceScaleFactor: scale,
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  })
  await context.clock.setFixedTime(now)
  await context.addInitScript((value) => value && localStorage.setItem('token', value), token ?? '')
  return context.newPage()
}

/** No machine is so busy that a screen needs longer. */
const timeout = 120_000

/** Waits until the screen is complete. */
export const settle = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).waitFor({ timeout })
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0, { timeout })
  await page.waitForLoadState('networkidle', { timeout })
}

/** Toasts disappear after some seconds, and contain the ID of a request. */
const style = '[aria-label=Notifications] { display: none }'

export const capture = (page: Page): Promise<Buffer> =>
  page.screenshot({ animations: 'disabled', caret: 'hide', style })
