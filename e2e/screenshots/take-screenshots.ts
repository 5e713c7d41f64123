import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { type Browser, chromium, expect, type Page } from '@playwright/test'
import sharp from 'sharp'
import { ensureProgram } from '../../scripts/run/programs.mjs'
import { edits } from './edits.ts'
import { createApiClient, type DemoRecords, findRecords, signIn } from './records.ts'

/**
 * `npm run screenshots [-- NAME …]`: takes the pictures of the documentation from demo data, all of them or only those
 * with these names. Times and SIDs are the same in every run, so that a picture changes only if its screen has changed.
 */

const images = fileURLToPath(new URL('../../docs/images/', import.meta.url))
const program = fileURLToPath(new URL('../../server/dist/main.mjs', import.meta.url))
const preload = new URL('repeatable-process.mjs', import.meta.url).href

/** A Friday afternoon, so that the charts contain a whole week. */
const today = '2026-11-20'
const now = `${today}T14:30:00Z`

interface Picture {
  name: string
  path: string
  as?: 'visitor' | 'dark'
  /** Height of the window in CSS pixels, if the content is higher than 900. */
  height?: number
  /** Steps on the page before the picture is taken. */
  prepare?: (page: Page) => Promise<unknown>
}

/** Opens a tab of the call page. */
const openTab = (name: string) => (page: Page) => page.getByRole('tab', { name, exact: true }).click()

const tryNumber = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'Try a number' }).click()
  await page.getByRole('dialog').getByRole('textbox').first().fill('15085550123')
}

const showFinding = async (page: Page): Promise<void> => {
  await openTab('SIP')(page)
  const finding = page
    .getByRole('listitem')
    .filter({ hasText: /^Error: .*Leg B/ })
    .first()
  await finding.getByRole('button', { name: /^Show / }).click()
}

const showSlowResponse = async (page: Page): Promise<void> => {
  await openTab('Conversation')(page)
  const findings = page.getByRole('region', { name: 'Findings' })
  await findings
    .getByRole('button', { name: /Slow response/ })
    .first()
    .click()
  const gaps = page.getByRole('group', { name: 'Conversation on the waveform' })
  await page
    .getByRole('button', { name: /^Response gap .*slow$/ })
    .first()
    .click()
  await gaps.getByRole('button').first().waitFor()
}

const getPictures = (demo: DemoRecords): Picture[] => {
  const { account_sid, carrier, application, failed, traced, recorded, conversation } = demo
  const calls = '/internal/recent-calls'
  return [
    { name: 'sign-in', path: '/', as: 'visitor' },
    { name: 'overview', path: '/internal/overview', height: 1260 },
    { name: 'accounts', path: '/internal/accounts' },
    { name: 'accounts-dark', path: '/internal/accounts', as: 'dark' },
    { name: 'carriers', path: '/internal/carriers' },
    { name: 'carrier', path: `/internal/carriers/${carrier}/edit` },
    { name: 'phone-numbers', path: '/internal/phone-numbers' },
    { name: 'application', path: `/internal/applications/${application}/edit` },
    { name: 'speech-services', path: '/internal/speech-services' },
    { name: 'outbound-routing', path: '/internal/least-cost-routing/own', prepare: tryNumber },
    { name: 'recent-calls', path: `${calls}?account=${account_sid}&date=7` },
    { name: 'failed-call', path: `${calls}/${account_sid}/${failed}`, prepare: showFinding, height: 1260 },
    {
      name: 'failed-call-dark',
      path: `${calls}/${account_sid}/${failed}`,
      prepare: showFinding,
      as: 'dark',
      height: 1260,
    },
    { name: 'trace', path: `${calls}/${account_sid}/${traced}`, prepare: openTab('Tracing') },
    { name: 'recording', path: `${calls}/${recorded.account_sid}/${recorded.call_sid}` },
    {
      name: 'conversation',
      path: `${calls}/${conversation.account_sid}/${conversation.call_sid}`,
      prepare: showSlowResponse,
      height: 1340,
    },
    { name: 'call-quality', path: '/internal/call-quality?account=all&days=30' },
    {
      name: 'conversation-quality',
      path: '/internal/conversation-quality?account=all&days=30&by=carrier',
      height: 1140,
    },
    { name: 'alerts', path: '/internal/alerts?date=30' },
    { name: 'audit-trail', path: '/internal/audit-trail' },
  ]
}

const settle = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).waitFor()
  await expect(page.locator('[aria-busy=true]')).toHaveCount(0, { timeout: 60_000 })
  await page.waitForLoadState('networkidle')
}

const take = async (page: Page, name: string): Promise<void> => {
  await settle(page)
  const screenshot = await page.screenshot({ animations: 'disabled', caret: 'hide' })
  // 256 colors take a third of the space and show no difference in a user interface.
  const picture = await sharp(screenshot).png({ palette: true, effort: 10, dither: 0 }).toBuffer()
  writeFileSync(join(images, `${name}.png`), picture)
  process.stdout.write(`  docs/images/${name}.png  ${Math.round(picture.length / 1000)} kB\n`)
}

/** Opens a page that is signed in if there is a token. */
const openPage = async (browser: Browser, baseURL: string, theme: 'light' | 'dark', token = ''): Promise<Page> => {
  const context = await browser.newContext({
    baseURL,
    colorScheme: theme,
    locale: 'en-US',
    timezoneId: 'UTC',
    reducedMotion: 'reduce',
  })
  await context.clock.setFixedTime(now)
  await context.addInitScript((value) => value && localStorage.setItem('token', value), token)
  return context.newPage()
}

const takeAll = async (browser: Browser, url: string, token: string): Promise<void> => {
  const only = process.argv.slice(2)
  const isSelected = ({ name }: Picture) => only.length === 0 || only.includes(name)
  const pages = {
    visitor: await openPage(browser, url, 'light'),
    light: await openPage(browser, url, 'light', token),
    dark: await openPage(browser, url, 'dark', token),
  }
  for (const { name, path, as = 'light', prepare, height = 900 } of getPictures(records).filter(isSelected)) {
    const page = pages[as]
    await page.setViewportSize({ width: 1440, height })
    await page.goto(path)
    await settle(page)
    await prepare?.(page)
    await take(page, name)
  }
}

const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-screenshots-'))
process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
// Server and browser are stopped when this process exits.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))

const settingsAt = (time: string): NodeJS.ProcessEnv => ({
  DATA_DIR: dataDir,
  NODE_OPTIONS: `--import=${preload}`,
  SCREENSHOT_TIME: time,
})

/** Sets the creation times of all records, which SQLite takes from its own clock. */
const dateRecords = (): void => {
  const database = new DatabaseSync(join(dataDir, 'patchbay.sqlite'))
  const tables = database
    .prepare("SELECT m.name FROM sqlite_master m JOIN pragma_table_info(m.name) c WHERE c.name = 'created_at'")
    .all()
  for (const { name } of tables)
    database.exec(
      `UPDATE "${String(name)}" SET created_at = strftime('%Y-%m-%dT%H:%M:%fZ', '${now}', '-' || (rowid * 37 % 300) || ' days')`,
    )
  database.close()
}

/** Runs `work` with a server whose clock always shows `time`. */
const withServer = async <T>(time: string, work: (url: string) => Promise<T>): Promise<T> => {
  const server = await startServer(settingsAt(time))
  try {
    return await work(server.url)
  } finally {
    await server.stop()
  }
}

const hourMs = 3_600_000
/** A call waits again while its recording is analyzed. */
const maxRounds = 10

/**
 * Computes the conversations of all calls. They are due some seconds after their calls were stored, which never pass with a
 * clock that stands still, so each round has a later time.
 */
const computeConversations = async (): Promise<void> => {
  const database = new DatabaseSync(join(dataDir, 'patchbay.sqlite'), { readOnly: true })
  const countQueued = (dueUntil: number): number =>
    Number(
      database.prepare('SELECT COUNT(*) AS count FROM patchbay_conversation_queue WHERE due_at <= ?').get(dueUntil)?.[
        'count'
      ],
    )
  for (let round = 1; round <= maxRounds && countQueued(Infinity) > 0; round += 1) {
    const time = Date.parse(now) + round * hourMs
    await withServer(new Date(time).toISOString(), async () => {
      while (countQueued(time) > 0) await pause(200)
    })
  }
  const remaining = countQueued(Infinity)
  database.close()
  if (remaining > 0) throw new Error(`${remaining} conversations were not computed`)
}

process.stdout.write('Filling a temporary database with demo data\n')
execFileSync(process.execPath, [program, 'demo', '--calls', '6000'], {
  env: { ...process.env, ...settingsAt(now) },
  stdio: ['ignore', 'ignore', 'inherit'],
})
dateRecords()
await computeConversations()
const records = await withServer(`${today}T08:00:00Z`, async (url) =>
  findRecords(createApiClient(url, await signIn(url, 'provider-user'))),
)
for (const { user, signInTime, time, edit } of edits) {
  const token = await withServer(`${today}T${signInTime}Z`, (url) => signIn(url, user))
  await withServer(`${today}T${time}Z`, (url) => edit(createApiClient(url, token), records))
}
await withServer(now, async (url) => {
  const browser = await chromium.launch({
    executablePath: await ensureProgram('chromium'),
    args: ['--no-sandbox', '--disable-gpu', '--font-render-hinting=none'],
  })
  try {
    await takeAll(browser, url, await signIn(url, 'provider-user'))
  } finally {
    await browser.close()
  }
})
