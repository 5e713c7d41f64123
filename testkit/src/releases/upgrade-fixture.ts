import { execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import type { DatabaseAddress } from '@patchbay/server/config/option-types'
import type { Table } from '@patchbay/server/database/columns'
import { addColumns } from '@patchbay/server/database/ddl'
import { type Database, openDatabase } from '@patchbay/server/database/engine'
import { platformTables } from '@patchbay/server/database/platform-schema'
import { sqliteReader } from '@patchbay/server/database/sqlite-reader'
import mysql from 'mysql2/promise'
import { type ApiAnswers, readApiAnswers } from '../api-answers.ts'
import { mysqlStore, type PersistentStore, sqliteStore } from '../crash/crash-rounds.ts'
import { callApi, getBody } from '../crash/durability-ledger.ts'
import { repositoryRoot } from '../docs/documentation.ts'
import type { MariaDbAddress, MariaDbClient } from '../servers/mariadb.ts'
import { startServer } from '../servers/server-process.ts'
import { fillEmptyTables } from '../table-rows.ts'
import { buildRelease, type Release } from './released-version.ts'

/**
 * Databases that releases of Patchbay wrote: demo data, changes through the API, and a row in each table. A fixture also
 * has the responses of the release, so that a later version can be compared with it without building the release.
 */

/** `platform` is a database of jambonz on MariaDB that the release has adopted. */
export const fixtureKinds = ['sqlite', 'mariadb', 'platform'] as const

export type FixtureKind = (typeof fixtureKinds)[number]

/** Any server of MariaDB or MySQL on which a fixture is loaded. */
export type DatabaseServer = MariaDbClient & Pick<MariaDbAddress, 'socket'>

export interface UpgradeFixture {
  /** An API key of an administrator. */
  apiKey: string
  /** The responses of the release by path. */
  answers: ApiAnswers
  store: PersistentStore
}

const folder = join(repositoryRoot, 'server/process-test/fixtures/releases')

/** The time of fixtures. Data is neither new nor expired at this time. */
const now = '2026-11-21T12:00:00Z'

const size = ['--accounts', '3', '--calls', '24', '--alerts', '6', '--numbers', '12', '--days', '3']

const period = { start: '2026-11-01T00:00:00.000Z', end: '2026-11-22T00:00:00.000Z' }

/** Makes the clock of a process start at the time of the fixtures, so that responses do not depend on the day. */
const clock = `
const RealDate = Date
const offset = RealDate.parse('${now}') - RealDate.now()
globalThis.Date = class extends RealDate {
  constructor(...values) { super(...(values.length === 0 ? [RealDate.now() + offset] : values)) }
  static now() { return RealDate.now() + offset }
}`

const atFixtureTime = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(clock)}` }

const secret = 'a secret of all fixtures'

/** A platform has a second secret, a server on MariaDB one, and a standalone server generates its own. */
const getSettings = (kind: FixtureKind): NodeJS.ProcessEnv => ({
  ...atFixtureTime,
  ...(kind === 'sqlite' ? {} : { JWT_SECRET: secret }),
  ...(kind === 'platform' ? { ENCRYPTION_SECRET: 'another secret of the platform' } : {}),
})

/** Creates an empty database with the settings of a fixture. */
export const createStore = async (kind: FixtureKind, server: DatabaseServer): Promise<PersistentStore> => {
  const store = kind === 'sqlite' ? sqliteStore() : mysqlStore(await server.createDatabase())
  return { ...store, settings: { ...store.settings, ...getSettings(kind) } }
}

/** Runs work with a direct connection to the database of a store. */
export const withDatabase = async <T>(
  { settings }: PersistentStore,
  work: (database: Database) => Promise<T>,
): Promise<T> => {
  const { DATABASE_URL: url, DATA_DIR: dataDir = '' } = settings
  const address: DatabaseAddress = url
    ? { engine: 'mysql', url, connections: 2 }
    : { engine: 'sqlite', file: join(dataDir, 'patchbay.sqlite') }
  const database = openDatabase(address, sqliteReader)
  try {
    return await work(database)
  } finally {
    await database.close()
  }
}

const runStatements = async (url: string, sqlMode: string, statements: string): Promise<void> => {
  const connection = await mysql.createConnection({ uri: url, multipleStatements: true })
  try {
    await connection.query('SET SESSION sql_mode = ?', [sqlMode])
    await connection.query(statements)
  } finally {
    await connection.end()
  }
}

/**
 * Creates the tables of a platform with the schema that it publishes, which lacks SMPP, and the provider and the account
 * that its installer creates.
 */
const createPlatform = async (url: string): Promise<void> => {
  const schema = join(repositoryRoot, 'node_modules/@jambonz/db-helpers/test/db/jambones-sql.sql')
  // The file requires double quotes to be string delimiters.
  const sqlMode = 'STRICT_TRANS_TABLES'
  await runStatements(url, sqlMode, readFileSync(schema, 'utf8'))
  const provider = '2708b1b3-2736-40ea-b502-c53d8396247f'
  const account = '9351f46a-678c-43f5-b8a6-d4eb58d131af'
  await runStatements(
    url,
    sqlMode,
    `INSERT INTO service_providers (service_provider_sid, name) VALUES ('${provider}', 'platform provider');
     INSERT INTO accounts (account_sid, name, service_provider_sid, webhook_secret)
       VALUES ('${account}', 'platform account', '${provider}', 'wh_secret_x');
     CREATE TABLE smpp_gateways (
       smpp_gateway_sid CHAR(36) NOT NULL PRIMARY KEY,
       ipv4 VARCHAR(128) NOT NULL,
       port INTEGER NOT NULL DEFAULT 2775,
       netmask INTEGER NOT NULL DEFAULT 32,
       is_primary BOOLEAN NOT NULL DEFAULT 1,
       inbound BOOLEAN NOT NULL DEFAULT 0,
       outbound BOOLEAN NOT NULL DEFAULT 1,
       use_tls BOOLEAN DEFAULT 0,
       voip_carrier_sid CHAR(36) NOT NULL,
       FOREIGN KEY (voip_carrier_sid) REFERENCES voip_carriers (voip_carrier_sid)
     )`,
  )
}

/** Adds columns of newer platforms, because demo data needs some of them. Optional tables are still missing. */
const completePlatform = async ({ db, engine }: Database): Promise<void> => {
  const existing = new Set((await db.introspection.getTables()).map(({ name }) => name))
  for (const [name, { columns }] of Object.entries<Table>(platformTables))
    if (existing.has(name)) await addColumns(db, engine, name as keyof typeof platformTables, columns)
}

const getFiles = (release: Release, kind: FixtureKind) => {
  const base = join(folder, `${release}-${kind}`)
  return { database: `${base}.${kind === 'sqlite' ? 'sqlite' : 'sql'}.br`, answers: `${base}.json.br` }
}

const writeCompressed = (file: string, content: Uint8Array | string): void => {
  mkdirSync(folder, { recursive: true })
  writeFileSync(file, brotliCompressSync(content))
}

const dumpDatabase = ({ settings }: PersistentStore, { socket }: DatabaseServer): Buffer => {
  const { DATABASE_URL: url, DATA_DIR: dataDir = '' } = settings
  if (url === undefined) {
    const file = join(dataDir, 'patchbay.sqlite')
    const compact = `${file}.compact`
    const connection = new DatabaseSync(file)
    connection.exec(`VACUUM INTO '${compact}'`)
    connection.close()
    return readFileSync(compact)
  }
  const options = ['--no-defaults', `--socket=${socket}`, '--user=root', '--hex-blob', '--skip-comments']
  return execFileSync('mariadb-dump', [...options, new URL(url).pathname.slice(1)], { maxBuffer: 2 ** 28 })
}

interface Responses {
  apiKey: string
  answers: [path: string, body: unknown][]
  /** The generated secrets of a standalone installation. */
  secrets: string | null
}

/** Makes changes that the demo data lacks. */
const changeByApi = async (
  { store, apiKey, kind }: { store: PersistentStore; apiKey: string; kind: FixtureKind },
  command: readonly string[],
): Promise<void> => {
  const server = await startServer(store.settings, command)
  const create = async (path: string, body: object) => getBody(await callApi(server, apiKey, 'POST', path, body))
  try {
    const providers = getBody(await callApi(server, apiKey, 'GET', '/ServiceProviders'))
    const [provider] = providers as { service_provider_sid: string }[]
    const owner = { service_provider_sid: provider?.service_provider_sid }
    const destination = { name: 'Operations', kind: 'email', target: 'ops@example.org', ...owner }
    // These versions cannot join this table with tables of a platform whose collation differs.
    if (kind !== 'platform') await create('/patchbay/alert-destinations', destination)
    await create('/PasswordSettings', { min_password_length: 10, require_digit: 1, require_special_character: 0 })
  } catch (cause) {
    throw new Error(`the server said:\n${server.output()}`, { cause })
  } finally {
    await server.stop()
  }
}

/** Deletes the order to delete call data, which a server would execute while a test compares the data. */
const withoutPendingDeletion = async ({ db }: Database): Promise<void> => {
  const tables = await db.introspection.getTables()
  if (tables.some(({ name }) => name === 'patchbay_data_deletions'))
    await db.deleteFrom('patchbay_data_deletions').execute()
}

/** Creates a fixture with a release, which is built if necessary, and writes it to its files. */
export const writeFixture = async (release: Release, kind: FixtureKind, server: DatabaseServer): Promise<void> => {
  const { command, demo } = buildRelease(release)
  const store = await createStore(kind, server)
  const { DATABASE_URL: url, DATA_DIR: dataDir = '' } = store.settings
  if (kind === 'platform' && url !== undefined) {
    await createPlatform(url)
    await withDatabase(store, completePlatform)
  }
  execFileSync(process.execPath, [...demo, ...size, '--until', now], {
    env: { PATH: process.env['PATH'], ...store.settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const apiKey = randomUUID()
  await withDatabase(store, ({ db }) =>
    db.insertInto('api_keys').values({ api_key_sid: randomUUID(), token: apiKey }).execute(),
  )
  await changeByApi({ store, apiKey, kind }, command)
  const empty = await withDatabase(store, fillEmptyTables)
  if (empty.length > 0) throw new Error(`these tables are empty: ${empty.join(', ')}`)
  await withDatabase(store, withoutPendingDeletion)
  const files = getFiles(release, kind)
  const secrets = join(dataDir, 'secrets.json')
  writeCompressed(files.database, dumpDatabase(store, server))
  const responses: Responses = {
    apiKey,
    answers: [],
    secrets: kind === 'sqlite' && existsSync(secrets) ? readFileSync(secrets, 'utf8') : null,
  }
  writeCompressed(files.answers, JSON.stringify(responses))
  store.remove()
  // The responses are those to the database as a test loads it, which has no recordings.
  const loaded = await loadFixture(release, kind, server)
  const answers = await readAnswers(loaded, command)
  writeCompressed(files.answers, JSON.stringify({ ...responses, answers: [...answers] } satisfies Responses))
  loaded.store.remove()
}

/** Creates a database with the content of a fixture. */
export const loadFixture = async (
  release: Release,
  kind: FixtureKind,
  server: DatabaseServer,
): Promise<UpgradeFixture> => {
  const files = getFiles(release, kind)
  const database = brotliDecompressSync(readFileSync(files.database))
  const { apiKey, answers, secrets } = JSON.parse(
    brotliDecompressSync(readFileSync(files.answers)).toString(),
  ) as Responses
  const store = await createStore(kind, server)
  const { DATABASE_URL: url, DATA_DIR: dataDir = '' } = store.settings
  if (url === undefined) writeFileSync(join(dataDir, 'patchbay.sqlite'), database)
  else await runStatements(url, '', database.toString())
  if (secrets !== null) writeFileSync(join(dataDir, 'secrets.json'), secrets, { mode: 0o600 })
  return { apiKey, answers: new Map(answers), store }
}

/**
 * Starts a version on a fixture, and returns its responses, those to the requests of the fixture included. Calls `onStarted` with the log of the start.
 * @param command the arguments of Node that start the version; by default this one
 */
export const readAnswers = async (
  { store, apiKey, answers }: UpgradeFixture,
  command?: readonly string[],
  onStarted: (log: string) => void = () => {},
): Promise<ApiAnswers> => {
  const server = await startServer({ ...store.settings, LOG_LEVEL: 'info' }, command)
  try {
    onStarted(server.log())
    return await readApiAnswers(server.url, apiKey, period, answers.keys())
  } finally {
    await server.stop()
  }
}
