import { execFileSync } from 'node:child_process'
import { type ApiAnswers, readApiAnswers } from '@patchbay/testkit/api-answers'
import { enter, mysqlStore, type PersistentStore, sqliteStore } from '@patchbay/testkit/crash/crash-rounds'
import { callApi, getBody } from '@patchbay/testkit/crash/durability-ledger'
import { changingTables, pairAnswers } from '@patchbay/testkit/releases/release-answers'
import { buildRelease, previousRelease, type Release } from '@patchbay/testkit/releases/released-version'
import { withDatabase } from '@patchbay/testkit/releases/upgrade-fixture'
import { mariaDbClient } from '@patchbay/testkit/servers/mariadb'
import { startServer } from '@patchbay/testkit/servers/server-process'
import { fillEmptyTables, findLostRows, readAllRows, type TableRows } from '@patchbay/testkit/table-rows'
import { expect, inject, test } from 'vitest'

/**
 * The current version opens the installation that the previous release has just created, with recordings, generated secrets,
 * and data of today. `process-test/released-databases.test.ts` opens databases of all releases.
 */

const dayMs = 86_400_000
const size = ['--accounts', '3', '--calls', '300', '--alerts', '30', '--numbers', '40', '--days', '5']

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
  const output = execFileSync(process.execPath, [...demo, ...size], {
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

/** Returns the responses of a version, and the rows afterwards. `paths` are requested beside those that responses lead to. */
const read = async (
  store: PersistentStore,
  apiKey: string,
  { command, paths }: { command?: readonly string[]; paths?: Iterable<string> },
): Promise<Content> => {
  const server = await startServer(store.settings, command)
  try {
    const answers = await readApiAnswers(server.url, apiKey, period, paths)
    return { answers, rows: await withDatabase(store, readAllRows) }
  } finally {
    await server.stop()
  }
}

const engines = {
  SQLite: () => Promise.resolve(sqliteStore()),
  MariaDB: async () => mysqlStore(await mariaDbClient(inject('mariadb')).createDatabase()),
}

test.for(Object.keys(engines) as (keyof typeof engines)[])(
  'an installation of %s keeps its data, and the API responds as before',
  async (engine) => {
    const release = previousRelease
    const store = await engines[engine]()
    const apiKey = await write(release, store)
    expect(await withDatabase(store, fillEmptyTables)).toEqual([])
    const before = await read(store, apiKey, { command: buildRelease(release).command })
    // Fewer responses would prove little.
    expect(before.answers.size).toBeGreaterThan(150)
    const after = await read(store, apiKey, { paths: before.answers.keys() })
    for (const [released, current] of pairAnswers(before.answers, after.answers))
      expect(current).toMatchObject(released)
    expect(findLostRows(before.rows, after.rows, changingTables)).toEqual([])
    expect(await store.damage()).toEqual([])
    store.remove()
  },
)
