import { setTimeout as pause } from 'node:timers/promises'
import type { Browser, Page } from '@playwright/test'
import { compilerHelper, launchBrowser } from './browser.ts'
import { type Filled, filledServer, printTable, quantile, scaled } from './harness.ts'
import { fillLists } from './list-data.ts'

/**
 * npm run bench:rows: scrolls and filters the lists of the console whose rows the API returns as a whole, with 10,000
 * rows, in a browser with 1440 × 900 and 390 × 844 pixels.
 */

const rows = scaled(10_000, 200)
const scrollingMs = scaled(6000, 500)
const lists = [
  { name: 'SIP clients', path: '/internal/clients', typed: ['sales', 'oslo 12', '999'] },
  { name: 'users', path: '/internal/users', typed: ['sales', 'users.example', '999'] },
] as const
const sizes = [
  { width: 1440, height: 900 },
  { width: 390, height: 844 },
] as const

/** Observations in the page. Times are in milliseconds. */
interface RowObservations {
  frames: number[]
  /** From each input to the frame with its rows. */
  filtered: number[]
}

declare global {
  interface Window {
    rowObservations: RowObservations
  }
}

/** Runs in the page. Measures the time between frames, and from an input to the end of the next frame. */
const observe = (): void => {
  const seen: RowObservations = { frames: [], filtered: [] }
  window.rowObservations = seen
  let last = performance.now()
  const onFrame = (now: number) => {
    seen.frames.push(now - last)
    last = now
    requestAnimationFrame(onFrame)
  }
  requestAnimationFrame(onFrame)
  document.addEventListener('input', ({ timeStamp }) => {
    // React renders the rows before the next frame. The second frame begins when that one has been painted.
    requestAnimationFrame(() => requestAnimationFrame(() => seen.filtered.push(performance.now() - timeStamp)))
  })
}

const scroll = async (page: Page): Promise<number[]> => {
  const start = performance.now()
  await page.evaluate(() => {
    window.rowObservations.frames = []
  })
  while (performance.now() - start < scrollingMs) {
    await page.mouse.wheel(0, 200)
    await pause(16)
  }
  return page.evaluate(() => window.rowObservations.frames)
}

/** Types texts into the filter and clears it at the end. */
const filter = async (page: Page, typed: readonly string[]): Promise<number[]> => {
  const field = page.getByRole('searchbox', { name: 'Filter' })
  for (const text of typed) {
    await field.fill('')
    await pause(300)
    await field.pressSequentially(text, { delay: 150 })
    await pause(300)
  }
  const filtered = await page.evaluate(() => window.rowObservations.filtered)
  await field.fill('')
  return filtered
}

const measure = async (browser: Browser, { server, token }: Filled): Promise<string[][]> => {
  const table: string[][] = []
  for (const { name, path, typed } of lists)
    for (const viewport of sizes) {
      const context = await browser.newContext({ baseURL: server.url, viewport })
      await context.addInitScript(compilerHelper)
      const page = await context.newPage()
      await page.goto('/patchbay.svg')
      await page.evaluate((cached) => localStorage.setItem('token', cached), token)
      await page.goto(path)
      await page.locator('main tr[data-row]').nth(50).waitFor()
      await page.waitForLoadState('networkidle')
      await page.evaluate(observe)
      const filtered = await filter(page, typed)
      await page.mouse.move(viewport.width / 2, viewport.height / 2)
      const frames = await scroll(page)
      const seconds = frames.reduce((sum, frame) => sum + frame, 0) / 1000
      table.push([
        `${name}, ${viewport.width} px`,
        (frames.length / seconds).toFixed(0),
        quantile(frames, 0.95).toFixed(0),
        Math.max(...frames).toFixed(0),
        String(await page.locator('main tr[data-row]').count()),
        `${quantile(filtered, 0.5).toFixed(0)}, ${quantile(filtered, 0.95).toFixed(0)}`,
      ])
      await context.close()
    }
  return table
}

const filled = await filledServer('sqlite', ['--accounts', '20', '--calls', '100'])
const browser = await launchBrowser()
try {
  await fillLists(filled, { rows, carriers: 10 })
  printTable([
    [
      'list',
      'frames a second (60)',
      'frame, p95 ms',
      'longest ms',
      'rows drawn',
      'keystroke to rows, p50, p95 ms (50)',
    ],
    ...(await measure(browser, filled)),
  ])
} finally {
  await browser.close()
  await filled.stop()
}
