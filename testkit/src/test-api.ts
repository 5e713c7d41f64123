import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createApp } from '@patchbay/server/app/app'
import { connectExternalServices, type ExternalServices } from '@patchbay/server/app/external-services'
import { openCallDataSinks } from '@patchbay/server/app/open-call-data-sinks'
import { firstStart } from '@patchbay/server/app/seed/first-start'
import { createPasswords } from '@patchbay/server/auth/password-hashing'
import type { CallDataSinks } from '@patchbay/server/call-data/call-data-sinks'
import type { ClickHouse } from '@patchbay/server/call-data/clickhouse/clickhouse'
import { type Configuration, readConfiguration } from '@patchbay/server/config/configuration'
import { createAuditTrail } from '@patchbay/server/database/audit-trail'
import { storeEncryptionCheck } from '@patchbay/server/database/encryption-check'
import { migrate } from '@patchbay/server/database/migrations'
import type { Services } from '@patchbay/server/resources/services'
import Fastify, { type FastifyInstance, type InjectOptions, type LightMyRequestResponse } from 'fastify'
import { createTestDatabase, type TestDatabase } from './test-database.ts'

/** The real app on a fresh database, with factories for service providers, accounts, and users. */

export const adminPassword = 'adm1n-of-the-tests'
/** Minimal cost. Tests of the hashing cost itself use `createPasswords()`. */
const cheapPasswords = createPasswords({ memoryCost: 8, timeCost: 1, parallelism: 1 })
export const testSecret = 'a secret that only tests use'

export interface Answer<T = unknown> {
  status: number
  body: T
  text: string
  headers: LightMyRequestResponse['headers']
}

/** Sends requests with the caller's token. */
export interface Caller {
  token: string
  get(path: string): Promise<Answer>
  post(path: string, body?: object, headers?: Record<string, string>): Promise<Answer>
  put(path: string, body?: object, headers?: Readonly<Record<string, string>>): Promise<Answer>
  delete(path: string, body?: object): Promise<Answer>
}

export interface TestApi {
  app: FastifyInstance
  services: Services
  test: TestDatabase
  /** Destinations of call data, in the store that the API reads. */
  sinks: CallDataSinks
  /** The ClickHouse that stores call data. Undefined if the database stores it. */
  clickHouse: ClickHouse | undefined
  nobody: Caller
  admin: Caller
  as(token: string): Caller
  signIn(username: string, password: string, address?: string): Promise<Answer<SignedIn>>
  /** Creates a user with a session. Without an owner, the user is an admin. */
  user(owner?: UserScope): Promise<TestUser>
  provider(name?: string): Promise<string>
  account(service_provider_sid: string, more?: object): Promise<string>
  apiKey(owner?: object): Promise<{ sid: string; caller: Caller }>
  close(): Promise<void>
}

export interface SignedIn {
  token: string
  user_sid: string
  force_change: boolean
  scope: string
}

export interface UserScope {
  account_sid?: string
  service_provider_sid?: string
  is_view_only?: boolean
  force_change?: boolean
}

export interface TestUser {
  sid: string
  name: string
  password: string
  caller: Caller
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const toAnswer = (response: LightMyRequestResponse): Answer => ({
  status: response.statusCode,
  body: parsed(response.body),
  text: response.body,
  headers: response.headers,
})

export const testConfiguration = (more: NodeJS.ProcessEnv = {}): Configuration =>
  readConfiguration({ JWT_SECRET: testSecret, DISABLE_RATE_LIMITS: '1', ...more })

/** Creates a database in ClickHouse if the test project stores call data there, and the test does not select a store. */
const createCallDataStore = async (variables: NodeJS.ProcessEnv) => {
  const isSelected = ['CLICKHOUSE_URL', 'JAMBONES_TIME_SERIES_HOST'].some((name) => name in variables)
  if (isSelected || process.env['TEST_CALL_DATA'] !== 'clickhouse') return undefined
  const { createClickHouseDatabase } = await import('./servers/clickhouse/clickhouse-test-database.ts')
  return createClickHouseDatabase()
}

/** Connects to the ClickHouse of a configuration. The client is loaded only for the tests that need it. */
const openClickHouse = async ({ clickHouse: address }: Configuration): Promise<ClickHouse | undefined> => {
  if (address === null) return undefined
  const { createClickHouse } = await import('@patchbay/server/call-data/clickhouse/clickhouse')
  return createClickHouse(address)
}

/** Returns a text member of the response. Throws if it is missing. */
export const member = (answer: Answer, name: string): string => {
  const value: unknown =
    typeof answer.body === 'object' && answer.body !== null ? Reflect.get(answer.body, name) : undefined
  if (typeof value !== 'string') throw new Error(`no ${name} in ${answer.status} ${answer.text}`)
  return value
}

export const createTestApi = async (
  variables: NodeJS.ProcessEnv = {},
  passwords = cheapPasswords,
  elsewhere: Partial<ExternalServices> = {},
  /** Without a column, the whole table is missing. */
  missing: readonly (readonly [table: string, column?: string])[] = [],
): Promise<TestApi> => {
  const test = await createTestDatabase()
  const { database } = test
  const { schema } = database.db
  for (const [table, column] of missing)
    await (column === undefined ? schema.dropTable(table) : schema.alterTable(table).dropColumn(column)).execute()
  const migrated = missing.length > 0 ? await migrate(database) : test.migrated
  const dataDir = join(tmpdir(), `patchbay-test-${randomUUID()}`)
  const callDataStore = await createCallDataStore(variables)
  const configuration = testConfiguration({ DATA_DIR: dataDir, ...callDataStore?.settings, ...variables })
  const clickHouse = await openClickHouse(configuration)
  const externalServices = { ...(await connectExternalServices(configuration, Fastify().log)), ...elsewhere }
  const trail = createAuditTrail(database, (error) => {
    throw error
  })
  const options = {
    configuration,
    database,
    missingSchema: migrated.missingSchema,
    checkAnswers: true,
    externalServices,
    passwords,
    trail,
  }
  await storeEncryptionCheck(
    database,
    { ...configuration.encryptionSecrets[0], legacy: configuration.legacyCrypto },
    configuration,
  )
  const app = await createApp(options)
  const { services } = app
  const sinks = await openCallDataSinks(configuration, database, app.log, { batchMs: 0 })
  await firstStart(services, migrated, adminPassword)
  await database.db.updateTable('users').set({ force_change: 0 }).where('name', '=', 'admin').execute()

  const as = (token: string): Caller => {
    const call = async (
      method: InjectOptions['method'],
      url: string,
      body?: object,
      headers: Readonly<Record<string, string>> = {},
    ): Promise<Answer> =>
      toAnswer(
        await app.inject({
          method,
          url: `/v1${url}`,
          headers: { ...headers, ...(token === '' ? {} : { authorization: `Bearer ${token}` }) },
          ...(body === undefined ? {} : { payload: body }),
        }),
      )
    return {
      token,
      get: (path) => call('GET', path),
      post: (path, body, headers) => call('POST', path, body, headers),
      put: (path, body, headers) => call('PUT', path, body, headers),
      delete: (path, body) => call('DELETE', path, body),
    }
  }

  const nobody = as('')
  const signIn = async (username: string, password: string, remoteAddress = '127.0.0.1') => {
    const payload = { username, password }
    const response = await app.inject({ method: 'POST', url: '/v1/login', payload, remoteAddress })
    // The cast is safe: the app itself checks responses against the contract.
    return toAnswer(response) as Answer<SignedIn>
  }
  const admin = as((await signIn('admin', adminPassword)).body.token)

  const user = async (owner: UserScope = {}): Promise<TestUser> => {
    const name = `user-${randomUUID()}`
    const password = `Pass-${randomUUID()}`
    const created = await admin.post('/Users', {
      name,
      email: `${name}@example.org`,
      initial_password: password,
      ...owner,
    })
    const { body } = await signIn(name, password)
    return { sid: member(created, 'user_sid'), name, password, caller: as(body.token) }
  }

  return {
    app,
    services,
    test,
    sinks,
    nobody,
    admin,
    as,
    signIn,
    user,
    provider: async (name = `provider ${randomUUID()}`) =>
      member(await admin.post('/ServiceProviders', { name }), 'sid'),
    account: async (service_provider_sid, more = {}) =>
      member(await admin.post('/Accounts', { name: `account ${randomUUID()}`, service_provider_sid, ...more }), 'sid'),
    apiKey: async (owner = {}) => {
      const created = await admin.post('/ApiKeys', owner)
      return { sid: member(created, 'sid'), caller: as(member(created, 'token')) }
    },
    clickHouse,
    close: async () => {
      await app.close()
      await sinks.close()
      await externalServices.close()
      await clickHouse?.close()
      await callDataStore?.drop()
      await test.drop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
