import { openDatabase } from '@patchbay/server/database/engine'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import type { DatabaseAddress } from '@patchbay/server/config/option-types'
import { maskPassword } from '@patchbay/contract/shared/masking'
import { type ApiAnswers, readApiAnswers } from '@patchbay/testkit/api-answers'
import { enter, mysqlStore, type PersistentStore, sqliteStore } from '@patchbay/testkit/crash-rounds'
import { callApi, getBody } from '@patchbay/testkit/durability-ledger'
import { mariaDbClient } from '@patchbay/testkit/mariadb'
import { buildRelease, type Release, releases } from '@patchbay/testkit/released-version'
import { startServer } from '@patchbay/testkit/server-process'
import { fillEmptyTables, findLostRows, readAllRows, type TableRows } from '@patchbay/testkit/table-rows'
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'

/** The current version opens the database of every release, with data in every table, and answers as before. */

const dayMs = 86_400_000
const size = ['--accounts', '3', '--calls', '300', '--alerts', '30', '--numbers', '40', '--days', '5']

/** Runs work with a direct connection to the database of a store. */
const withDatabase = async <T>(
  { settings }: PersistentStore,
  work: (database: ReturnType<typeof openDatabase>) => Promise<T>,
): Promise<T> => {
  const { DATABASE_URL: url, DATA_DIR: folder = '' } = settings
  const address: DatabaseAddress = url
    ? { engine: 'mysql', url, connections: 2 }
    : { engine: 'sqlite', file: join(folder, 'patchbay.sqlite') }
  const database = openDatabase(address, sqliteReader)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

interface Content {
  answers: ApiAnswers
  rows: TableRows
}

const period = {
  start: new Date(Date.now() - 20 * dayMs).toISOString(),
  end: new Date(Date.now() + dayMs).toISOString(),
}

/** Creates data with a release: demo data, changes through its API, and a row in each table that is still empty. */
const write = async (release: Release, store: PersistentStore): Promise<string> => {
  const { command, demo } = buildRelease(release)
  const output = execFileSync(process.execPath, [demo, ...size], {
    env: { PATH: process.env['PATH'], ...store.settings },
    encoding: 'utf8',
  })
  const firstPassword = /admin with the password (\S+)/.exec(output)?.[1] ?? ''
  const server = await startServer(store.settings, command)
  try {
    const { url, apiKey } = await enter({ ...server, firstPassword })
    const create = async (path: string, body: object) => getBody(await callApi({ url }, apiKey, 'POST', path, body))
    const providers = getBody(await callApi({ url }, apiKey, 'GET', '/ServiceProviders'))
    const [provider] = providers as { service_provider_sid: string }[]
    const owner = { service_provider_sid: provider?.service_provider_sid }
    const destination = { name: 'Operations', kind: 'email', target: 'ops@example.org', ...owner }
    await create('/patchbay/alert-destinations', destination)
    await create('/PasswordSettings', { min_password_length: 10, require_digit: 1, require_special_character: 0 })
    return apiKey
  } finally {
    await server.stop()
  }
}

/** Returns the responses of a version, and the rows afterwards. */
const read = async (store: PersistentStore, apiKey: string, command?: readonly string[]): Promise<Content> => {
  const server = await startServer(store.settings, command)
  try {
    const answers = await readApiAnswers(server.url, apiKey, period)
    return { answers, rows: await withDatabase(store, readAllRows) }
  } finally {
    await server.stop()
  }
}

const engines = {
  SQLite: () => Promise.resolve(sqliteStore()),
  MariaDB: async () => mysqlStore(await mariaDbClient(inject('mariadb')).createDatabase()),
}

const cases = (Object.keys(releases) as Release[]).flatMap((release) =>
  (Object.keys(engines) as (keyof typeof engines)[]).map((engine) => [release, engine] as const),
)

/** Rows that are moved or expire: audit entries (compared through the API), sessions, counters, and links of sign-ins. */
const notCompared = [
  'patchbay_audit_trail',
  'patchbay_audit_latest',
  'patchbay_sessions',
  'patchbay_counters',
  'patchbay_link_tickets',
  'patchbay_registrations',
  'patchbay_reset_links',
]

/** Members of carriers, of which releases up to 0.2.0 showed the first six characters. */
const carrierPasswords = ['register_password', 'smpp_password', 'smpp_inbound_password']

/** Returns a response of a release with the passwords of carriers as they are shown now. */
const hidePasswords = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(hidePasswords)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isMask = carrierPasswords.includes(name) && typeof member === 'string' && /.X+$/.test(member)
      return [name, isMask ? maskPassword(member) : hidePasswords(member)]
    }),
  )
}

test.for(cases)('a database of %s on %s keeps its data, and the API responds as before', async ([release, engine]) => {
  const store = await engines[engine]()
  const apiKey = await write(release, store)
  expect(await withDatabase(store, fillEmptyTables)).toEqual([])
  const before = await read(store, apiKey, buildRelease(release).command)
  // Fewer responses would prove little.
  expect(before.answers.size).toBeGreaterThan(150)
  const after = await read(store, apiKey)
  // Responses may have additional members.
  for (const [path, answer] of before.answers) {
    const body = hidePasswords(answer)
    expect({ path, body: after.answers.get(path) }).toMatchObject({ path, body })
  }
  expect(findLostRows(before.rows, after.rows, notCompared)).toEqual([])
  expect(await store.damage()).toEqual([])
  store.remove()
})
