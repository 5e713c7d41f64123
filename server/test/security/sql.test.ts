import { randomUUID } from 'node:crypto'
import { createApp } from '@patchbay/server/app/app'
import { createSink } from '@patchbay/server/app/ingest'
import { createSqlSinks } from '@patchbay/server/call-data/call-data-sinks'
import { createInfluxIntake } from '@patchbay/server/call-data/ingest/influx-ingest'
import { adminPassword, createTestApi, member, type TestApi } from '@patchbay/testkit/test-api'
import { isMysql } from '@patchbay/testkit/test-database'
import { openTestApi } from '@patchbay/testkit/test-world'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** SQL injection. MariaDB runs with the modes in which escaped text has another meaning. */

const api = await openTestApi()

const hostile = [
  `' OR 1=1 -- `,
  `\\' OR 1=1 -- `,
  `\\\\' OR 1=1 -- `,
  `" OR 1=1 -- `,
  `\\" OR 1=1 -- `,
  `admin' -- `,
  `admin\\' -- `,
  `' || name || '`,
  `?`,
  '`',
  '\\',
  'a\u0000b',
  'text with \u{1f4de} and \u00fc',
]

test.each(hostile)('the name %j cannot sign in', async (name) => {
  expect((await api.signIn(name, adminPassword)).status).toBe(403)
})

test.each(hostile)('%j is stored and found unchanged', async (name) => {
  const sid = await api.provider(name)
  expect(await api.admin.get(`/ServiceProviders/${sid}`)).toMatchObject({ status: 200, body: { name } })
  const account = await api.account(sid, { name })
  const taken = await api.admin.get(`/patchbay/accounts/taken?name=${encodeURIComponent(name)}`)
  expect(taken).toMatchObject({ status: 200, body: { name: true } })
  expect(await api.admin.get(`/Accounts/${account}`)).toMatchObject({ status: 200, body: { name } })
  // An address cannot contain most of these characters.
  const email = `o'neill-${randomUUID()}@example.org`
  const user = await api.admin.post('/Users', { name, email, initial_password: adminPassword })
  const response = await api.admin.get(`/Users/${member(user, 'user_sid')}`)
  expect(response).toMatchObject({ status: 200, body: { name, email } })
})

describe.skipIf(!isMysql)('a session of MariaDB', () => {
  test.each(['db', 'reader', 'searcher'] as const)(
    'is what it must be, whatever the server is set to (%s)',
    async (of) => {
      const variables = sql<
        Record<string, string>
      >`select @@global.sql_mode as server, @@sql_mode as session, @@time_zone as zone,
      @@character_set_client as charset`
      const { rows } = await variables.execute(api.test.database[of])
      expect(rows).toEqual([
        {
          server: expect.stringContaining('NO_BACKSLASH_ESCAPES') as unknown,
          session: 'STRICT_TRANS_TABLES,STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION',
          zone: '+00:00',
          charset: 'utf8mb4',
        },
      ])
    },
  )

  test('sends numbers as numbers', async () => {
    const { db } = api.test.database
    const { rows } = await sql<Record<string, number>>`select ${7} div ${2} as whole, ${1} / ${2} as half,
      ${Number.MAX_SAFE_INTEGER} + ${0} as big, ${1.5} as real_number limit ${1}`.execute(db)
    expect(rows).toMatchObject([{ whole: 3, big: Number.MAX_SAFE_INTEGER, real_number: 1.5 }])
  })
})

describe('database errors', () => {
  const secret = 'a-value-that-nobody-may-read'
  let log: string
  let failing: TestApi
  let loud: Awaited<ReturnType<typeof createApp>>
  let loudIntake: ReturnType<typeof createInfluxIntake>
  let token: string
  let account: string
  let provider: string

  beforeAll(async () => {
    failing = await createTestApi()
    const { configuration, database } = failing.services
    loud = await createApp({ configuration, database, log: { write: (line) => void (log += line) } })
    loudIntake = createInfluxIntake({ sink: createSink(createSqlSinks(database)), logger: loud.log })
    token = failing.admin.token
    provider = await failing.provider()
    account = await failing.account(provider)
    const refusing = isMysql
      ? (table: string, column: string) =>
          `CREATE TRIGGER no_${table} BEFORE INSERT ON ${table} FOR EACH ROW
            SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 31000, MESSAGE_TEXT = NEW.${column}`
      : (table: string, column: string) =>
          `CREATE TRIGGER no_${table} BEFORE INSERT ON ${table} WHEN NEW.${column} IS NOT NULL
            BEGIN SELECT RAISE(ABORT, 'no'); END`
    for (const [table, column] of [
      ['users', 'name'],
      ['webhooks', 'password'],
      ['patchbay_calls', 'call_sid'],
    ] as const)
      await sql.raw(refusing(table, column)).execute(database.db)
    for (const table of ['account_limits', 'patchbay_alerts']) await sql.raw(`DROP TABLE ${table}`).execute(database.db)
  })
  afterAll(async () => {
    await loudIntake.close()
    await loud.close()
    await failing.close()
  })

  const hook = { url: `https://example.org/${secret}`, method: 'POST', username: secret, password: secret }
  const requests = [
    [
      'a new user',
      'POST',
      () => '/v1/Users',
      { name: secret, email: `${secret}@example.org`, initial_password: secret },
    ],
    ['a webhook', 'PUT', () => `/v1/ServiceProviders/${provider}`, { registration_hook: hook }],
    ['a table that is gone', 'GET', () => `/v1/Accounts/${account}/Limits?category=device`, undefined],
  ] as const

  test.each(requests)('%s: is logged without statement and values', async (_what, method, path, payload) => {
    log = ''
    const headers = { authorization: `Bearer ${token}` }
    const { statusCode } = await loud.inject({ method, url: path(), headers, ...(payload ? { payload } : {}) })
    expect(statusCode).toBe(500)
    expect(log).toContain('request failed')
    expect(log).not.toContain(secret)
    expect(log).not.toContain('$argon2')
    expect(log).not.toMatch(/"(sql|sqlMessage|parameters|values)":/)
  })

  test.each([
    [
      'cdrs',
      `cdrs,account_sid=${secret},call_sid=${secret} answered=true,duration=1i,from="${secret}",sip_status=200i`,
    ],
    ['alerts', `alerts,account_sid=${secret},alert_type=${secret} message="${secret}"`],
  ])('%s of the ingest server: are logged without statement and values', async (database, payload) => {
    log = ''
    const { statusCode } = await loudIntake.inject({ method: 'POST', url: `/write?db=${database}`, payload })
    expect(statusCode).toBe(500)
    expect(log).toContain('call data')
    expect(log).not.toContain(secret)
    expect(log).not.toMatch(/"(sql|sqlMessage|parameters|values)":/)
  })
})
