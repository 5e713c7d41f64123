import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { getPort } from '@patchbay/testkit/servers/ports'
import type { Browser, BrowserContext, Page } from '@playwright/test'
import { compilerHelper, executablePath, launchBrowser } from './browser.ts'
import { filledServer, printTable, quantile, scaled } from './harness.ts'

/**
 * npm run bench:console [--lighthouse]: measures what a browser loads, requests, and waits for, screen by screen, on
 * demo data. With the option, Lighthouse rates the sign-in page, which requires access to the npm registry.
 */

const rounds = scaled(15)
const lighthouseVersion = '12.8.2'
const dist = fileURLToPath(new URL('../console/dist', import.meta.url))

/** Observations in the page since its start. */
interface PageObservations {
  shift: number
  /**
   * When the rows of the table with this caption were added to the document, in milliseconds since the start of the
   * page.
   */
  rowsIn: Record<string, number>
  /** When the frame with the rows was painted. */
  rowsAt: Record<string, number>
  /** When the main part of the page last changed. */
  changedAt: number
  clickedAt: number
}

declare global {
  interface Window {
    seen: PageObservations
  }
}

/** Runs in the page before its own scripts. */
const watch = (): void => {
  const seen: PageObservations = { shift: 0, rowsIn: {}, rowsAt: {}, changedAt: 0, clickedAt: 0 }
  window.seen = seen
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) if ('value' in entry) seen.shift += Number(entry.value)
  }).observe({ type: 'layout-shift', buffered: true })
  const look = () => {
    const caption = document.querySelector('main table:has(tr[data-row]) caption')?.textContent
    if (!caption || seen.rowsAt[caption] !== undefined) return
    seen.rowsIn[caption] = performance.now()
    seen.rowsAt[caption] = Number.NaN
    requestAnimationFrame(() => {
      seen.rowsAt[caption] = performance.now()
    })
  }
  new MutationObserver((changes) => {
    look()
    if (changes.some(({ target }) => target instanceof Element && target.closest('#root')))
      seen.changedAt = performance.now()
  }).observe(document, { subtree: true, childList: true, characterData: true, attributes: true })
  document.addEventListener(
    'click',
    (event) => {
      seen.clickedAt = event.timeStamp
      seen.rowsAt = {}
    },
    true,
  )
}

interface Wire {
  requests: { method: string; path: string }[]
  scripts: string[]
  styles: string[]
  bytes: number
}

/** Records all network traffic from now on, except for the icon, which the browser does not report. */
const listen = async (page: Page): Promise<Wire> => {
  const wire: Wire = { requests: [], scripts: [], styles: [], bytes: 0 }
  const client = await page.context().newCDPSession(page)
  await client.send('Network.enable')
  client.on('Network.requestWillBeSent', ({ request, type }) => {
    if (!request.url.startsWith('http')) return
    const { pathname } = new URL(request.url)
    wire.requests.push({ method: request.method, path: pathname })
    if (pathname.endsWith('.js')) wire.scripts.push(pathname)
    if (type === 'Stylesheet') wire.styles.push(pathname)
  })
  client.on('Network.loadingFinished', ({ encodedDataLength }) => {
    wire.bytes += encodedDataLength
  })
  return wire
}

/** Waits until no request was active for half a second, and prefetching has finished. */
const quiet = async (page: Page): Promise<void> => {
  await page.waitForLoadState('networkidle')
}

const gzipped = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => {
    try {
      return sum + readFileSync(join(dist, `${path}.gz`)).length
    } catch {
      return sum + readFileSync(join(dist, path)).length
    }
  }, 0) / 1000

const shellPaths = ['/api/v1/Users/me', '/api/v1/ServiceProviders']

const millisecondsText = (times: readonly number[]): string =>
  `${quantile(times, 0.5).toFixed(0)} (${Math.min(...times).toFixed(0)}–${quantile(times, 0.9).toFixed(0)})`

interface Target {
  url: string
  token: string
  account_sid: string
}

/** A browser with data saving enabled prefetches nothing, so that only the page's own requests are measured. */
const saveData = (): void => {
  Object.defineProperty(navigator, 'connection', { value: { saveData: true } })
}

const createObservedContext = async (
  browser: Browser,
  options: Parameters<Browser['newContext']>[0],
): Promise<BrowserContext> => {
  const context = await browser.newContext(options)
  await context.addInitScript(compilerHelper)
  await context.addInitScript(watch)
  return context
}

/** A time zone in which it is noon, so that recent calls of today fill a page at any time of the day. */
const getNoonTimeZone = (): string => {
  const ahead = 12 - new Date().getUTCHours()
  // The signs of these names are inverted: `Etc/GMT-3` is three hours ahead of UTC.
  return `Etc/GMT${ahead > 0 ? '-' : '+'}${Math.abs(ahead)}`
}

const signedIn = async (
  browser: Browser,
  { url, token, account_sid }: Target,
  width = 1440,
): Promise<BrowserContext> => {
  const context = await createObservedContext(browser, {
    baseURL: url,
    viewport: { width, height: 900 },
    timezoneId: getNoonTimeZone(),
  })
  const page = await context.newPage()
  await page.goto('/patchbay.svg')
  await page.evaluate(
    ([cached, account]) => {
      localStorage.setItem('token', cached)
      localStorage.setItem('accountFilter', account)
    },
    [token, account_sid] as const,
  )
  await page.close()
  return context
}

const getScreens = ({ account_sid }: Target) =>
  [
    { name: 'accounts', path: '/internal/accounts', caption: 'Accounts', limit: 150 },
    { name: 'recent calls', path: '/internal/recent-calls?date=30', caption: 'Recent calls', limit: 150 },
    { name: 'add account', path: '/internal/accounts/add', caption: undefined, limit: 200 },
    { name: 'account edit', path: `/internal/accounts/${account_sid}/edit`, caption: undefined, limit: 200 },
  ] as const

type Screen = ReturnType<typeof getScreens>[number]

/** Waits until the rows exist and the frame with them is painted. */
const untilPainted = async (page: Page, caption: string): Promise<void> => {
  await page.getByRole('table', { name: caption }).locator('tr[data-row]').first().waitFor()
  await page.evaluate(async () => {
    for (let frame = 0; frame < 2; frame += 1) await new Promise(requestAnimationFrame)
  })
}

const ready = (page: Page, { caption }: Screen) =>
  caption ? untilPainted(page, caption) : page.getByRole('button', { name: 'Save' }).waitFor()

const rows: string[][] = [['', 'now', 'goal', "the other console's"]]

const measureSignIn = async (browser: Browser, url: string): Promise<void> => {
  const context = await createObservedContext(browser, { baseURL: url })
  await context.addInitScript(saveData)
  const page = await context.newPage()
  const wire = await listen(page)
  await page.goto('/')
  await page.getByRole('heading', { name: 'Log in' }).waitFor()
  await quiet(page)
  const { requests, bytes, scripts, styles } = wire
  const icon = await page.evaluate(() => document.querySelector<HTMLLinkElement>('link[rel=icon]')?.href ?? '')
  const outside = icon.startsWith('http') && !requests.some(({ path }) => icon.endsWith(path)) ? 1 : 0
  rows.push(
    ['sign-in, cold: kB on the wire', (bytes / 1000).toFixed(0), '160', '281'],
    ['sign-in, cold: requests, with the icon', String(requests.length + outside), '6', '11'],
    ['sign-in: script, kB gzipped', gzipped(scripts).toFixed(1), '115', '169'],
    ['sign-in: styles, kB gzipped', gzipped(styles).toFixed(1), '15', '9'],
  )
  await context.close()
}

/** Measures each screen with an empty cache: scripts, styles, API requests, and layout shifts. */
const measureScreens = async (browser: Browser, target: Target): Promise<number> => {
  let worst = 0
  for (const screen of getScreens(target)) {
    const context = await signedIn(browser, target)
    await context.addInitScript(saveData)
    const page = await context.newPage()
    const wire = await listen(page)
    await page.goto(screen.path)
    await ready(page, screen)
    await quiet(page)
    const early = await page.evaluate((caption) => {
      const paintedAt = caption === undefined ? Number.POSITIVE_INFINITY : (window.seen.rowsAt[caption] ?? 0)
      const loaded = performance.getEntriesByType('resource').filter(({ startTime }) => startTime < paintedAt)
      return loaded.map(({ name }) => new URL(name).pathname)
    }, screen.caption)
    const loadedBefore = (paths: readonly string[]) => [...new Set(paths)].filter((path) => early.includes(path))
    const apiRequests = wire.requests.filter(({ path }) => path.startsWith('/api/'))
    const own = apiRequests.filter(({ path }) => !shellPaths.includes(path))
    const today = screen.name === 'account edit' ? '13' : '–'
    rows.push(
      [
        `${screen.name}: script, kB gzipped`,
        gzipped(loadedBefore(wire.scripts)).toFixed(1),
        String(screen.limit),
        '169',
      ],
      [`${screen.name}: styles, kB gzipped`, gzipped(loadedBefore(wire.styles)).toFixed(1), '15', '9'],
      [
        `${screen.name}: API requests, and the shell's`,
        `${own.length} + ${apiRequests.length - own.length}`,
        screen.name === 'account edit' ? '4' : screen.name === 'recent calls' ? '2' : '1',
        today,
      ],
    )
    await context.close()
    for (const width of [1440, 390]) {
      const narrow = await signedIn(browser, target, width)
      const narrowPage = await narrow.newPage()
      await narrowPage.goto(screen.path)
      await ready(narrowPage, screen)
      await quiet(narrowPage)
      worst = Math.max(worst, await narrowPage.evaluate(() => window.seen.shift))
      await narrow.close()
    }
  }
  return worst
}

/** Serves the same rows and styles as a static page without scripts, to measure the browser's own share. */
const startBarePage = async (page: Page): Promise<Server> => {
  const finished = await page.content()
  const html = finished
    .replaceAll(/<script.*?<\/script>|<link[^>]*(?:modulepreload|rel="icon")[^>]*>/gs, '')
    .replaceAll(/(href=")\/(?!\/)/g, `$1${new URL(page.url()).origin}/`)
    .replaceAll(' crossorigin=""', '')
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(html))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** Measures opening the URL again in a tab that has the console's files in its cache. */
const measureWarm = async (browser: Browser, target: Target): Promise<void> => {
  for (const screen of getScreens(target)) {
    const { caption } = screen
    if (caption === undefined) continue
    const context = await signedIn(browser, target)
    const page = await context.newPage()
    const open = async (address: string) => {
      await page.goto(address)
      await ready(page, screen)
      await quiet(page)
      const seen = await page.evaluate(() => window.seen)
      const { [caption]: there = Number.NaN } = seen.rowsIn
      return { there, visible: seen.rowsAt[caption] ?? Number.NaN, settled: seen.changedAt }
    }
    await open(screen.path)
    const bare = await startBarePage(page)
    const times: Record<'there' | 'visible' | 'settled' | 'bare', number[]> = {
      there: [],
      visible: [],
      settled: [],
      bare: [],
    }
    // Static and dynamic pages do not alternate, because a browser starts a new process for each change of origin.
    for (let round = -3; round < rounds; round += 1) {
      const { there, visible, settled } = await open(screen.path)
      if (round < 0) continue
      times.there.push(there)
      times.visible.push(visible)
      times.settled.push(settled)
    }
    for (let round = -3; round < rounds; round += 1) {
      const { visible } = await open(`http://127.0.0.1:${getPort(bare)}/`)
      if (round >= 0) times.bare.push(visible)
    }
    bare.close()
    rows.push(
      [`${screen.name}: list in the document, warm full load, ms`, millisecondsText(times.there), '120', '179–202'],
      [`${screen.name}: list drawn, warm full load, ms`, millisecondsText(times.visible), '120', '179–202'],
      [`the same rows as a page without script, ms`, millisecondsText(times.bare), '', ''],
      [`${screen.name}: last change of the page, ms`, millisecondsText(times.settled), 'the same', '–'],
    )
    await context.close()
  }
}

/**
 * Measures the time from a click in the menu to the rows, on the first and later visits. The pointer hovers for a tenth
 * of a second before the click.
 */
const measureInApp = async (browser: Browser, target: Target): Promise<void> => {
  const context = await signedIn(browser, target)
  const first: Record<string, number[]> = { Accounts: [], 'Recent calls': [] }
  const again: Record<string, number[]> = { Accounts: [], 'Recent calls': [] }
  const go = async (page: Page, caption: string) => {
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: caption })
    // Users need longer from reaching a link to pressing it.
    await link.hover()
    await pause(100)
    await link.click()
    await untilPainted(page, caption)
    return page.evaluate((tableCaption) => (window.seen.rowsAt[tableCaption] ?? 0) - window.seen.clickedAt, caption)
  }
  const page = await context.newPage()
  await page.goto('/patchbay.svg')
  for (let round = -2; round < rounds; round += 1)
    for (const [from, to, back] of [
      ['/internal/accounts/add', 'Recent calls', 'Accounts'],
      ['/internal/accounts/add', 'Accounts', 'Recent calls'],
    ] as const) {
      await page.goto(from)
      await page.getByRole('button', { name: 'Save' }).waitFor()
      await quiet(page)
      const one = await go(page, to)
      await quiet(page)
      await go(page, back)
      await quiet(page)
      const two = await go(page, to)
      if (round >= 0) {
        first[to]?.push(one)
        again[to]?.push(two)
      }
    }
  for (const [caption, today] of [
    ['Accounts', '53–112'],
    ['Recent calls', '53–112'],
  ] as const)
    rows.push(
      [
        `${caption.toLowerCase()}: list drawn, in-app, first time, ms`,
        millisecondsText(first[caption] ?? []),
        '50',
        today,
      ],
      [`${caption.toLowerCase()}: list drawn, in-app, again, ms`, millisecondsText(again[caption] ?? []), '50', today],
    )
  await context.close()
}

const judge = async (url: string): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'patchbay-lighthouse-'))
  const output = join(folder, 'report.json')
  const chromeFlags = ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run', `--user-data-dir=${folder}`]
  const lighthouse = ['lighthouse', url, '--preset=desktop', '--output=json', `--output-path=${output}`, '--quiet']
  await promisify(execFile)(
    'npm',
    [
      'exec',
      '--yes',
      `--package=lighthouse@${lighthouseVersion}`,
      '--',
      ...lighthouse,
      `--chrome-flags=${chromeFlags.join(' ')}`,
    ],
    { env: { ...process.env, ...(executablePath ? { CHROME_PATH: executablePath } : {}) }, cwd: folder },
  )
  const report: {
    categories: Record<string, { title: string; score: number; auditRefs: { id: string; weight: number }[] }>
    audits: Record<string, { title: string; score: number | null; displayValue?: string }>
  } = JSON.parse(readFileSync(output, 'utf8'))
  const scores = Object.values(report.categories)
  for (const { title, score } of scores)
    rows.push([
      `Lighthouse, sign-in, desktop: ${title}`,
      (score * 100).toFixed(0),
      '100',
      { Performance: '99', Accessibility: '82', 'Best Practices': '96' }[title] ?? '–',
    ])
  for (const { title, auditRefs } of scores)
    for (const { id, weight } of auditRefs) {
      const audit = report.audits[id]
      if (audit && audit.score !== null && audit.score < 1)
        process.stderr.write(`${title}, weight ${weight}: ${audit.title} ${audit.displayValue ?? ''}\n`)
    }
  rmSync(folder, { recursive: true, force: true })
}

const filled = await filledServer('sqlite', [
  '--accounts',
  '20',
  '--calls',
  String(scaled(20_000, 500)),
  '--busiest',
  '50',
])
const browser = await launchBrowser()
try {
  const { server, token, busiest: account_sid } = filled
  const target = { url: server.url, token, account_sid }
  await measureSignIn(browser, server.url)
  const shift = await measureScreens(browser, target)
  rows.push(['worst layout shift, 1440 and 390 px', shift.toFixed(3), '0', '0.547'])
  await measureWarm(browser, target)
  await measureInApp(browser, target)
  await browser.close()
  if (process.argv.includes('--lighthouse')) await judge(server.url)
  printTable(rows)
} finally {
  await browser.close()
  await filled.stop()
}
