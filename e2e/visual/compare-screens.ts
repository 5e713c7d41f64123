import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import type { Browser, Page } from '@playwright/test'
import { printFailures } from '../../scripts/test/reports.mjs'
import { approve, compareWithFile, type Difference } from './approved-pictures.ts'
import { capture, openPage, withBrowser } from './browser.ts'
import { withDemo } from './demo-server.ts'
import { getPictures, type Picture, showPicture } from './pictures.ts'
import { type DemoRecords, signIn } from './records.ts'
import { type ScreenUsers, signInScreenUsers } from './screen-records.ts'
import { getScreenStates, looks, type ScreenState } from './screens.ts'

/**
 * `npm run visual [-- --approve] [-- NAME …]`: compares every screen, in its states, widths, and themes, with approved
 * pictures, and with the pictures of the documentation. `--approve` replaces those that differ, after which a person
 * looks at the change.
 */

const approved = fileURLToPath(new URL('approved/', import.meta.url))
const chromiumFile = join(approved, 'chromium.txt')
const documentation = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const results = fileURLToPath(new URL('../../test-results/visual/', import.meta.url))

const { values, positionals: names } = parseArgs({ options: { approve: { type: 'boolean' } }, allowPositionals: true })
const approves = values.approve === true
const isSelected = ({ name }: { name: string }) => names.length === 0 || names.some((part) => name.includes(part))

/** Content below is not compared: long lists are the same rows again. */
const height = 900

/** Half the size takes a quarter of the time and of the space, and still shows what moves, appears, or changes its color. */
const scale = 0.5

const save = (file: string, image: Buffer): void => {
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, image)
}

interface Differing {
  screenshot: Buffer
  difference: Difference
}

/** Stores a screenshot with its difference, and returns a sentence about it. */
const report = (name: string, { screenshot, difference: { pixels, picture } }: Differing): string => {
  save(join(results, `${name}.png`), screenshot)
  save(join(results, `${name}-difference.png`), picture)
  return `${name}: ${pixels === Infinity ? 'another size' : `${pixels} pixels differ`}`
}

/** A new picture is taken when nothing has changed for this time. */
const restMs = 2000

/** A screen that does not look like its picture after this time differs. Requests that fail are repeated until then. */
const deadlineMs = 30_000

const captureAtRest = async (page: Page): Promise<Buffer> => {
  // Brings on what a part that loaded late shows only after some seconds.
  await page.clock.fastForward(10_000)
  let screenshot = await capture(page)
  const endsAt = performance.now() + deadlineMs
  for (let restsAt = performance.now(); performance.now() - restsAt < restMs && performance.now() < endsAt; ) {
    const next = await capture(page)
    if (!next.equals(screenshot)) restsAt = performance.now()
    screenshot = next
  }
  return screenshot
}

/** With so many differing screens, such as with another version of Chromium, no more screen gets the whole time. */
const maxDiffering = 20
let differingCount = 0

/** Compares a page with a picture until they are the same, or the time is over. Returns the last difference. */
const compare = async (page: Page, file: string): Promise<Differing | undefined> => {
  const endsAt = performance.now() + (differingCount < maxDiffering ? deadlineMs : restMs)
  for (;;) {
    const screenshot = await capture(page)
    const difference = await compareWithFile(screenshot, file)
    if (difference === undefined) return undefined
    if (performance.now() < endsAt) continue
    differingCount += 1
    return { screenshot, difference }
  }
}

/** Replaces an approved picture by the page at rest, if they differ. */
const approveAtRest = async (page: Page, file: string): Promise<void> => {
  const isSame = async (screenshot: Buffer) =>
    existsSync(file) && (await compareWithFile(screenshot, file)) === undefined
  if (await isSame(await capture(page))) return
  const screenshot = await captureAtRest(page)
  if (!(await isSame(screenshot))) await approve(screenshot, file)
}

/** Compares a page with its approved picture, or replaces it. Returns what differs, or undefined. */
const check = async (page: Page, name: string): Promise<string | undefined> => {
  const file = join(approved, `${name}.webp`)
  if (approves) {
    await approveAtRest(page, file)
    return undefined
  }
  if (!existsSync(file)) return `${name}: no picture is approved`
  const differing = await compare(page, file)
  return differing && report(name, differing)
}

const openState = async (browser: Browser, url: string, users: ScreenUsers, state: ScreenState): Promise<string[]> => {
  const token = state.as === 'visitor' ? undefined : users[state.as]
  const page = await openPage(browser, url, { token, scale })
  const differences: (string | undefined)[] = []
  try {
    await page.setViewportSize({ width: 1440, height })
    await state.show(page)
    for (const { width, theme } of looks) {
      await page.emulateMedia({ colorScheme: theme })
      await page.setViewportSize({ width, height })
      differences.push(await check(page, `${state.name}-${width}-${theme}`))
    }
  } catch (error) {
    differences.push(`${state.name}: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    await page.context().close()
  }
  return differences.filter((difference) => difference !== undefined)
}

/** Checks a state of a screen in all looks. What differs must differ in a second page, too. */
const checkState = async (...state: Parameters<typeof openState>): Promise<string[]> => {
  const differences = await openState(...state)
  return differences.length === 0 || approves ? differences : openState(...state)
}

/** Pages wait for the server and the network most of the time. */
const concurrency = 4

const checkStates = async (browser: Browser, url: string, { screens: records }: DemoRecords): Promise<string[]> => {
  const users = await signInScreenUsers(url)
  const states = getScreenStates(records).filter(isSelected)
  process.stdout.write(`Comparing ${states.length} states of screens in ${looks.length} looks\n`)
  const queue = states.values()
  const differences: string[] = []
  const work = async (): Promise<void> => {
    for (const state of queue) differences.push(...(await checkState(browser, url, users, state)))
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  return differences
}

/**
 * Text in fields that was laid out on a busy machine can be half a pixel away from its place, and stays there. A picture
 * therefore differs only if that of a second page does, too.
 */
const maxOpenings = 2

const comparePicture = async (
  browser: Browser,
  url: string,
  picture: Picture,
  token: string,
): Promise<Differing | undefined> => {
  const { name, as } = picture
  const options = { theme: as === 'dark' ? 'dark' : 'light', token: as === 'visitor' ? undefined : token } as const
  let differing: Differing | undefined
  for (let opening = 1; opening <= maxOpenings; opening += 1) {
    const page = await openPage(browser, url, options)
    await showPicture(page, picture)
    differing = await compare(page, join(documentation, `${name}.png`))
    await page.context().close()
    if (differing === undefined) return undefined
  }
  return differing
}

/** Compares the pictures of the documentation, which `npm run screenshots` takes again. */
const checkDocumentation = async (
  browser: Browser,
  url: string,
  demo: DemoRecords,
  token: string,
): Promise<string[]> => {
  const differences: string[] = []
  for (const picture of getPictures(demo).filter(isSelected)) {
    const { name } = picture
    const differing = await comparePicture(browser, url, picture, token)
    if (differing) differences.push(`${report(`docs/${name}`, differing)}: npm run screenshots -- ${name}`)
  }
  return differences
}

rmSync(results, { recursive: true, force: true })
const { differences, chromium } = await withDemo((url, demo) =>
  withBrowser(async (browser) => {
    // Signs in also if no picture of the documentation is compared, because the audit trail shows every sign-in.
    const token = await signIn(url, 'provider-user')
    const documentationDifferences = approves ? [] : await checkDocumentation(browser, url, demo, token)
    const screenDifferences = await checkStates(browser, url, demo)
    return { chromium: browser.version(), differences: [...documentationDifferences, ...screenDifferences] }
  }),
)
if (approves) writeFileSync(chromiumFile, `${chromium}\n`)
if (differences.length > 0) {
  const before = readFileSync(chromiumFile, 'utf8').trim()
  printFailures([
    ...differences.toSorted().map((difference) => `  ${difference}`),
    `  The pictures were approved with Chromium ${before}. This is ${chromium}.`,
  ])
  process.exitCode = 1
}
