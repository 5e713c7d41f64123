import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { edits } from './edits.ts'
import { createApiClient, type DemoRecords, demoPassword, findRecords, signIn } from './records.ts'
import { createQuietProvider, prepareScreenRecords } from './screen-records.ts'

/**
 * A server with demo data whose clock stands still. Times and SIDs are the same in every run, so that a picture changes
 * only if its screen has changed.
 */

const program = fileURLToPath(new URL('../../server/dist/main.mjs', import.meta.url))
const preload = new URL('repeatable-process.mjs', import.meta.url).href

/** A Friday afternoon, so that the charts contain a whole week. */
const today = '2026-11-20'
export const now = `${today}T14:30:00Z`

const settingsAt = (dataDir: string, time: string): NodeJS.ProcessEnv => ({
  DATA_DIR: dataDir,
  NODE_OPTIONS: `--import=${preload}`,
  SCREENSHOT_TIME: time,
  PATCHBAY_INIT_ADMIN_PASSWORD: demoPassword,
})

/** Runs `work` with a server whose clock always shows `time`. */
const withServer = async <T>(dataDir: string, time: string, work: (url: string) => Promise<T>): Promise<T> => {
  const server = await startServer(settingsAt(dataDir, time))
  try {
    return await work(server.url)
  } finally {
    await server.stop()
  }
}

/** Sets the creation times of all records, which SQLite takes from its own clock. */
const dateRecords = (dataDir: string): void => {
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

const hourMs = 3_600_000
/** A call waits again while its recording is analyzed. */
const maxRounds = 10

/**
 * Computes the conversations of all calls. They are due some seconds after their calls were stored, which never pass with a
 * clock that stands still, so each round has a later time.
 */
const computeConversations = async (dataDir: string): Promise<void> => {
  const database = new DatabaseSync(join(dataDir, 'patchbay.sqlite'), { readOnly: true })
  const countQueued = (dueUntil: number): number =>
    Number(
      database.prepare('SELECT COUNT(*) AS count FROM patchbay_conversation_queue WHERE due_at <= ?').get(dueUntil)?.[
        'count'
      ],
    )
  for (let round = 1; round <= maxRounds && countQueued(Infinity) > 0; round += 1) {
    const time = Date.parse(now) + round * hourMs
    await withServer(dataDir, new Date(time).toISOString(), async () => {
      while (countQueued(time) > 0) await pause(200)
    })
  }
  const remaining = countQueued(Infinity)
  database.close()
  if (remaining > 0) throw new Error(`${remaining} conversations were not computed`)
}

/** Fills a temporary folder with demo data, some of which have been edited, and runs `work` with a server of it. */
export const withDemo = async <T>(work: (url: string, records: DemoRecords) => Promise<T>): Promise<T> => {
  const dataDir = mkdtempSync(join(tmpdir(), 'patchbay-screenshots-'))
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }))
  // Server and browser are stopped when this process exits.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  process.stdout.write('Filling a temporary database with demo data\n')
  execFileSync(process.execPath, [program, 'demo', '--calls', '6000'], {
    env: { ...process.env, ...settingsAt(dataDir, now) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  await computeConversations(dataDir)
  // A sign-in is recorded after its response, so that records of the same time would have no order.
  const signInAt = (time: string, user: string) => withServer(dataDir, `${today}T${time}Z`, (url) => signIn(url, user))
  const providerToken = await signInAt('07:58:00', 'provider-user')
  const adminToken = await signInAt('07:59:00', 'admin')
  const records = await withServer(dataDir, `${today}T08:00:00Z`, async (url): Promise<DemoRecords> => {
    const demo = await findRecords(createApiClient(url, providerToken))
    const admin = createApiClient(url, adminToken)
    await createQuietProvider(admin)
    return { ...demo, screens: await prepareScreenRecords(admin, demo) }
  })
  dateRecords(dataDir)
  for (const { user, signInTime, time, edit } of edits) {
    const token = await signInAt(signInTime, user)
    await withServer(dataDir, `${today}T${time}Z`, (url) => edit(createApiClient(url, token), records))
  }
  return withServer(dataDir, now, (url) => work(url, records))
}
