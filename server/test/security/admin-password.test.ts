import { setAdminPassword } from '@patchbay/server/app/seed/admin-password'
import { createSqlSessions } from '@patchbay/server/auth/sessions/sql-sessions'
import { startRedis } from '@patchbay/testkit/servers/redis'
import { adminPassword, createTestApi, type TestApi } from '@patchbay/testkit/test-api'
import { isMysql } from '@patchbay/testkit/test-database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

/** Resetting the password of an admin on the server, which ends everything else of the user. */

// Redis behaves the same with both engines.
const places = isMysql ? (['the database', 'Redis'] as const) : (['the database'] as const)

describe.each(places)('with sessions in %s', (location) => {
  let api: TestApi
  let stop = () => Promise.resolve()
  beforeAll(async () => {
    const settings = { LOGIN_ATTEMPTS_MAX_RETRIES: '2' }
    if (location === 'the database') api = await createTestApi(settings)
    else {
      const redis = await startRedis()
      stop = () => redis.stop()
      api = await createTestApi({ ...settings, ...redis.settings })
    }
  })
  afterAll(async () => {
    await api.close()
    await stop()
  })

  test('other users are rejected with a reason', async () => {
    const provider = await api.provider()
    const { db } = api.test.database
    for (const user of [
      { user_sid: 'tenant', name: 'tenant', email: 't', provider: 'local', service_provider_sid: provider },
      { user_sid: 'elsewhere', name: 'elsewhere', email: 'e', provider: 'github' },
      { user_sid: 'gone', name: 'gone', email: 'g', provider: 'local', is_active: 0 },
    ] as const)
      await db.insertInto('users').values(user).execute()
    const set = (name: string) => setAdminPassword(api.services, name)
    await expect(set('nobody')).rejects.toThrow('There is no user nobody.')
    await expect(set('tenant')).rejects.toThrow('tenant is not an admin')
    await expect(set('elsewhere')).rejects.toThrow('elsewhere signs in with github')
    await expect(set('gone')).rejects.toThrow('gone is deactivated')
  })

  test('the admin can sign in with the new password only, must change it, and all sessions and lockouts end', async () => {
    const { body } = await api.signIn('admin', adminPassword)
    const session = api.as(body.token)
    await createSqlSessions(api.test.database).start('a token of before Redis', body.user_sid, Date.now() + 60_000)
    expect((await session.get('/Users/me')).status).toBe(200)
    for (let attempt = 0; attempt < 2; attempt += 1) await api.signIn('admin', 'wrong')
    expect((await api.signIn('admin', adminPassword)).body).toMatchObject({ code: 'locked_out' })

    const { name, password } = await setAdminPassword(api.services, 'Admin')
    expect(name).toBe('admin')
    expect((await session.get('/Users/me')).status).toBe(401)
    expect(await api.test.database.db.selectFrom('patchbay_sessions').selectAll().execute()).toEqual([])
    expect((await api.signIn('admin', adminPassword)).status).toBe(403)
    const signedIn = await api.signIn('admin', password)
    expect(signedIn).toMatchObject({ status: 200, body: { force_change: true } })
  })
})
