import { createApp } from '@patchbay/server/app/app'
import { createEncryption } from '@patchbay/server/lib/encryption'
import { createTestApi } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { version } from '../../package.json' with { type: 'json' }

const api = await openTestApi()

const probe = (path: string, { app } = api) => app.inject({ url: path })

test('a running server is alive and ready, for anonymous callers and without caching', async () => {
  const [alive, ready] = [await probe('/livez'), await probe('/readyz')]
  expect([alive.statusCode, alive.json()]).toEqual([200, { status: 'alive' }])
  expect([ready.statusCode, ready.json()]).toEqual([200, { status: 'ready' }])
  expect([alive, ready].map(({ headers }) => headers['cache-control'])).toEqual(['no-store', 'no-store'])
  expect((await api.app.inject({ method: 'HEAD', url: '/readyz' })).statusCode).toBe(200)
  expect((await api.app.inject({ method: 'POST', url: '/readyz' })).statusCode).toBe(404)
})

test('/version names the version and the latest migration', async () => {
  const applied = await sql<{ name: string }>`SELECT MAX(name) AS name FROM patchbay_migrations`.execute(
    api.test.database.db,
  )
  const response = await probe('/version')
  expect(response.json()).toEqual({ version, commit: null, modified: null, schema: applied.rows[0]?.name })
})

test('an older schema makes the server not ready but leaves it alive', async () => {
  const own = await createTestApi()
  try {
    const { db } = own.test.database
    const last = (await probe('/version', own)).json<{ schema: string }>().schema
    await sql`DELETE FROM patchbay_migrations WHERE name = ${last}`.execute(db)
    const response = await probe('/readyz', own)
    expect(response.statusCode).toBe(503)
    expect(response.headers['cache-control']).toBe('no-store')
    expect(response.json()).toEqual({
      status: 'not_ready',
      reasons: [
        { check: 'schema', code: 'outdated', msg: 'The database schema is older than this version of Patchbay.' },
      ],
    })
    expect((await probe('/livez', own)).statusCode).toBe(200)
    expect((await probe('/health', own)).body).toBe('OK')
  } finally {
    await own.close()
  }
})

test.each([
  [
    'that another process has replaced',
    { value: createEncryption('another secret of tests', { legacy: false }).encrypt('x') },
  ],
  ['that was discarded', { value: 'discarded' }],
  ['that was removed', undefined],
])('a check value of the encryption %s makes the server not ready, without changing it', async (_change, value) => {
  const own = await createTestApi()
  try {
    const { db } = own.test.database
    const check = 'encryption check'
    const read = () => db.selectFrom('patchbay_settings').selectAll().where('setting', '=', check).execute()
    expect(await read()).toHaveLength(1)
    await (value === undefined
      ? db.deleteFrom('patchbay_settings').where('setting', '=', check).execute()
      : db.updateTable('patchbay_settings').set(value).where('setting', '=', check).execute())
    const before = await read()
    const response = await probe('/readyz', own)
    expect([response.statusCode, response.json()]).toMatchObject([
      503,
      { status: 'not_ready', reasons: [{ check: 'encryption', code: 'wrong_secret' }] },
    ])
    expect(await read()).toEqual(before)
    expect((await probe('/livez', own)).statusCode).toBe(200)
  } finally {
    await own.close()
  }
})

test('a database error makes the server not ready, and the response contains no details', async () => {
  const own = await createTestApi()
  try {
    await sql`DROP TABLE patchbay_migrations`.execute(own.test.database.db)
    const response = await probe('/readyz', own)
    expect(response.statusCode).toBe(503)
    expect(response.json()).toMatchObject({ reasons: [{ check: 'database', code: 'failed' }] })
    expect(response.body).not.toContain('patchbay_migrations')
  } finally {
    await own.close()
  }
})

test('a shutdown makes the server not ready while it still responds', async () => {
  const shutdown = new AbortController()
  const { configuration } = api.services
  const app = await createApp({ configuration, database: api.test.database, shutdownSignal: shutdown.signal })
  try {
    expect((await app.inject({ url: '/readyz' })).statusCode).toBe(200)
    shutdown.abort()
    const response = await app.inject({ url: '/readyz' })
    expect([response.statusCode, response.json()]).toMatchObject([
      503,
      { reasons: [{ check: 'shutdown', code: 'shutting_down' }] },
    ])
    expect((await app.inject({ url: '/livez' })).statusCode).toBe(200)
  } finally {
    await app.close()
  }
})
