import { createHash, randomUUID } from 'node:crypto'
import Registrar from '@jambonz/mw-registrar'
import { connectRedis, type RedisConnection } from '@patchbay/server/adapters/redis'
import { createRedisRegistrations } from '@patchbay/server/adapters/registrations/redis-registrations'
import { createRedisCounters } from '@patchbay/server/auth/counters/redis-counters'
import { createRedisSessions } from '@patchbay/server/auth/sessions/redis-sessions'
import type { SessionsElsewhere } from '@patchbay/server/auth/sessions/sessions'
import { type RedisServer, startRedis } from '@patchbay/testkit/servers/redis'
import {
  adminPassword,
  createTestApi,
  member,
  type TestApi,
  type TestUser,
  testSecret,
} from '@patchbay/testkit/test-api'
import Fastify from 'fastify'
import { Redis } from 'ioredis'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'

/** Tests the adapters on the Redis of jambonz, with Debian's redis-server and jambonz's registrar. */

const log = Fastify().log
const hour = 3_600_000

let server: RedisServer
/** Connection that acts as another component of jambonz. */
let redis: Redis
let connection: RedisConnection
beforeAll(async () => {
  server = await startRedis()
  redis = new Redis(server.port)
  connection = await connectRedis({ at: { host: '127.0.0.1', port: server.port } }, log)
})
afterAll(async () => {
  await connection.close()
  redis.disconnect()
  await server.stop()
})

/** Session key of jambonz (docs/reference/platform-api/live-calls.md#redis-keys). */
const platformKey = (user_sid: string) => `jwt:${createHash('md5').update(user_sid).digest('hex')}:version:v2`

/** Additional session key of Patchbay. */
const aliveKey = (user_sid: string) => `patchbay:sessions:${createHash('md5').update(user_sid).digest('hex')}`

/** Returns all keys that contain a user's hash. */
const findKeys = (user_sid: string) => redis.keys(`*${createHash('md5').update(user_sid).digest('hex')}*`)

/** Do the same as jambonz's API server when a user signs in or out. */
const signInThere = (user_sid: string, token: string, seconds = 3600) =>
  redis.set(platformKey(user_sid), token, 'EX', seconds)
const signOutThere = (user_sid: string) => redis.del(platformKey(user_sid))

describe('sessions', () => {
  let sessions: SessionsElsewhere
  beforeAll(() => {
    sessions = createRedisSessions(connection)
  })
  const inAnHour = () => Date.now() + hour

  test('a session has the key of jambonz with the token, and expires with it', async () => {
    const user = randomUUID()
    await sessions.start('token', user, inAnHour())
    expect(await redis.get(platformKey(user))).toBe('token')
    const remainingMs = await redis.pttl(platformKey(user))
    expect(remainingMs).toBeGreaterThan(hour - 30_000)
    expect(remainingMs).toBeLessThanOrEqual(hour)
    for (const key of await findKeys(user)) expect(await redis.pttl(key)).toBeGreaterThan(0)
    expect(await sessions.isAlive('token', user)).toBe(true)
    expect(await sessions.isAlive('another', user)).toBe(false)
    expect(await sessions.isAlive('token', randomUUID())).toBe(false)
  })

  test('several tokens of a user are valid, and the key expires with the last one', async () => {
    const user = randomUUID()
    await sessions.start('long', user, Date.now() + 3 * hour)
    await sessions.start('short', user, inAnHour())
    expect(await redis.get(platformKey(user))).toBe('short')
    expect(await redis.pttl(platformKey(user))).toBeGreaterThan(2 * hour)
    expect([await sessions.isAlive('long', user), await sessions.isAlive('short', user)]).toEqual([true, true])
  })

  test('a session expires although other sessions of the user continue', async () => {
    const user = randomUUID()
    await sessions.start('long', user, inAnHour())
    await sessions.start('short', user, Date.now() + 1)
    await expect.poll(() => sessions.isAlive('short', user)).toBe(false)
    expect(await sessions.isAlive('long', user)).toBe(true)
  })

  test('ending all sessions removes every key, and a new sign-in does not restore old sessions', async () => {
    const user = randomUUID()
    await sessions.start('one', user, inAnHour())
    await sessions.start('two', user, inAnHour())
    await sessions.endAll(user, {})
    expect(await findKeys(user)).toEqual([])
    await sessions.start('three', user, inAnHour())
    expect([await sessions.isAlive('one', user), await sessions.isAlive('two', user)]).toEqual([false, false])
    expect(await sessions.isAlive('three', user)).toBe(true)
  })

  test('a sign-out in jambonz ends all sessions, even after a new sign-in on either side', async () => {
    for (const signInAgain of [
      (user: string) => sessions.start('again', user, inAnHour()),
      async (user: string) => {
        expect(await sessions.isAlive('one', user)).toBe(false)
        await signInThere(user, 'again')
      },
    ]) {
      const user = randomUUID()
      await sessions.start('one', user, inAnHour())
      await sessions.start('two', user, inAnHour())
      await signOutThere(user)
      await signInAgain(user)
      expect([await sessions.isAlive('one', user), await sessions.isAlive('two', user)]).toEqual([false, false])
      expect(await sessions.isAlive('again', user)).toBe(true)
    }
  })

  test('a sign-out in jambonz is noticed immediately, so that a sign-in there does not restore sessions of Patchbay', async () => {
    const user = randomUUID()
    await sessions.start('ours', user, inAnHour())
    await signOutThere(user)
    await expect.poll(() => findKeys(user)).toEqual([])
    await signInThere(user, 'theirs')
    expect([await sessions.isAlive('ours', user), await sessions.isAlive('theirs', user)]).toEqual([false, true])
  })

  test('a session that survived a password change ends with a sign-out in jambonz', async () => {
    const user = randomUUID()
    await sessions.start('mine', user, inAnHour())
    await sessions.endAll(user, { except: 'mine' })
    await signOutThere(user)
    expect(await sessions.isAlive('mine', user)).toBe(false)
  })

  test('renewing a session ends only the old token, and one of two concurrent renewals succeeds', async () => {
    const user = randomUUID()
    await sessions.start('one', user, inAnHour())
    await sessions.start('two', user, inAnHour())
    const renewed = await Promise.all(['three', 'four'].map((token) => sessions.renew('two', token, user, inAnHour())))
    expect(renewed.filter(Boolean)).toHaveLength(1)
    const alive = await Promise.all(['one', 'two', 'three', 'four'].map((token) => sessions.isAlive(token, user)))
    expect(alive).toEqual([true, false, ...renewed])
    expect(await redis.get(platformKey(user))).toBe(renewed[0] ? 'three' : 'four')
    expect(await sessions.renew('nobody’s', 'five', user, inAnHour())).toBe(false)
    expect(await sessions.isAlive('five', user)).toBe(false)
  })

  test('a token issued by jambonz can be renewed', async () => {
    const user = randomUUID()
    await signInThere(user, 'theirs')
    expect(await sessions.renew('theirs', 'ours', user, inAnHour())).toBe(true)
    expect([await sessions.isAlive('theirs', user), await sessions.isAlive('ours', user)]).toEqual([false, true])
  })

  test('a token issued by jambonz is valid together with tokens of Patchbay, also after later sign-ins', async () => {
    const user = randomUUID()
    await signInThere(user, 'theirs')
    expect(await sessions.isAlive('theirs', user)).toBe(true)
    expect(await sessions.isAlive('unknown', user)).toBe(false)
    await sessions.start('ours', user, inAnHour())
    await signInThere(user, 'their next')
    for (const token of ['theirs', 'ours', 'their next']) expect(await sessions.isAlive(token, user)).toBe(true)
    await sessions.endAll(user, {})
    for (const token of ['theirs', 'ours', 'their next']) expect(await sessions.isAlive(token, user)).toBe(false)
  })

  test('a jambonz key without expiry is accepted, and gets an expiry with the next write', async () => {
    const user = randomUUID()
    await redis.set(platformKey(user), 'theirs')
    expect(await sessions.isAlive('theirs', user)).toBe(true)
    await sessions.start('ours', user, inAnHour())
    expect([await sessions.isAlive('theirs', user), await sessions.isAlive('ours', user)]).toEqual([true, true])
    for (const key of await findKeys(user)) expect(await redis.pttl(key)).toBeGreaterThan(0)
  })

  test('an unseen token issued by jambonz remains valid after a sign-in here', async () => {
    const user = randomUUID()
    await signInThere(user, 'theirs')
    await sessions.start('ours', user, inAnHour())
    expect(await sessions.isAlive('theirs', user)).toBe(true)
  })

  test('ending all sessions but one leaves the key to that session, which ends with a sign-out in jambonz', async () => {
    const user = randomUUID()
    await sessions.start('other', user, inAnHour())
    await sessions.start('mine', user, inAnHour())
    await sessions.start('another', user, inAnHour())
    await sessions.endAll(user, { except: 'mine' })
    expect(await redis.get(platformKey(user))).toBe('mine')
    const tokens = ['mine', 'other', 'another']
    const alive = await Promise.all(tokens.map((token) => sessions.isAlive(token, user)))
    expect(alive).toEqual([true, false, false])
    for (const key of await findKeys(user)) expect(await redis.pttl(key)).toBeGreaterThan(hour - 30_000)
    await signInThere(user, 'theirs')
    for (const token of ['mine', 'theirs']) expect(await sessions.isAlive(token, user)).toBe(true)
    expect(await sessions.isAlive('other', user)).toBe(false)
    await signOutThere(user)
    for (const token of ['mine', 'theirs']) expect(await sessions.isAlive(token, user)).toBe(false)
  })

  test('a session that survived a password change continues together with new ones', async () => {
    const user = randomUUID()
    await sessions.start('mine', user, inAnHour())
    await sessions.endAll(user, { except: 'mine' })
    await sessions.start('new', user, inAnHour())
    for (const token of ['mine', 'new']) expect(await sessions.isAlive(token, user)).toBe(true)
    await sessions.endAll(user, { except: 'mine' })
    await sessions.endAll(user, { except: 'mine' })
    expect([await sessions.isAlive('mine', user), await sessions.isAlive('new', user)]).toEqual([true, false])
  })

  test('an invalid token is not revived by ending all other sessions', async () => {
    const user = randomUUID()
    await sessions.start('one', user, inAnHour())
    await sessions.endAll(user, { except: 'stranger' })
    expect(await findKeys(user)).toEqual([])
    expect(await sessions.isAlive('stranger', user)).toBe(false)
  })
})

describe('counters', () => {
  test('count under a Patchbay key, and each increment renews the expiry', async () => {
    const counters = createRedisCounters(connection)
    expect(await counters.read('login:x', 100)).toBe(0)
    expect(await counters.increment('login:x', 100)).toBe(1)
    await redis.expire('patchbay:login:x', 5)
    expect(await counters.increment('login:x', 100)).toBe(2)
    expect(await redis.ttl('patchbay:login:x')).toBeGreaterThan(90)
    expect(await counters.read('login:x', 100)).toBe(2)
    await counters.decrement('login:x')
    await counters.decrement('login:none')
    expect([await counters.read('login:x', 100), await counters.read('login:none', 100)]).toEqual([1, 0])
    await counters.clear('login:x')
    expect(await redis.exists('patchbay:login:x')).toBe(0)
  })

  test('count correctly with concurrent increments', async () => {
    const counters = createRedisCounters(connection)
    const counts = await Promise.all(Array.from({ length: 50 }, () => counters.increment('many', 100)))
    expect(counts.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
  })
})

describe('the API on Redis', () => {
  let api: TestApi
  let user: TestUser
  beforeAll(async () => {
    api = await createTestApi(server.settings)
    user = await api.user()
  })
  afterAll(() => api.close())

  const me = (token: string) => api.as(token).get('/Users/me')

  /** A token as jambonz's API server signs it, without jti. */
  const platformToken = (user_sid: string) =>
    new SignJWT({
      scope: 'admin',
      user_sid,
      name: 'x',
      permissions: ['VIEW_ONLY', 'PROVISION_USERS'],
      is_view_only: false,
    })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuedAt()
      .setExpirationTime('1h')
      .sign(new TextEncoder().encode(testSecret))

  test('signing in creates the key of jambonz, and signing out on either side ends the session on both', async () => {
    const { token } = (await api.signIn(user.name, user.password)).body
    expect(await redis.get(platformKey(user.sid))).toBe(token)
    await signOutThere(user.sid)
    expect((await me(token)).status).toBe(401)

    const again = (await api.signIn(user.name, user.password)).body.token
    expect((await api.as(again).post('/logout')).status).toBe(204)
    expect(await redis.exists(platformKey(user.sid))).toBe(0)
    expect((await me(again)).status).toBe(401)
  })

  test("a token of jambonz's API server is accepted as long as its session exists", async () => {
    const token = await platformToken(user.sid)
    expect((await me(token)).status).toBe(401)
    await signInThere(user.sid, token)
    expect((await me(token)).status).toBe(200)
    expect((await api.as(token).post('/logout')).status).toBe(204)
    expect(await redis.exists(platformKey(user.sid))).toBe(0)
    expect((await me(token)).status).toBe(401)
  })

  test('a password change ends every session except the one that made it', async () => {
    const { sid, name, password, caller } = await api.user()
    const other = (await api.signIn(name, password)).body.token
    const changed = await caller.put(`/Users/${sid}`, { old_password: password, new_password: `New-${password}` })
    expect(changed.status).toBe(204)
    expect([(await me(caller.token)).status, (await me(other)).status]).toEqual([200, 401])
    // The session that made the change also continues in jambonz.
    expect(await redis.get(platformKey(sid))).toBe(caller.token)
  })

  test('a renewed session ends the token it was renewed with', async () => {
    const { caller } = await api.user()
    const renewed = member(await caller.post('/patchbay/session'), 'token')
    expect([(await me(renewed)).status, (await me(caller.token)).status]).toEqual([200, 401])
  })

  test('failed sign-ins lock the name out, counted in Redis', async () => {
    const { name, password } = await api.user()
    const signIn = (typed: string) => api.signIn(name, typed, '10.0.0.1')
    for (let attempt = 1; attempt <= 6; attempt++) expect((await signIn('wrong')).status).toBe(403)
    expect((await signIn(password)).status).toBe(403)
    const [counter = ''] = await redis.keys('patchbay:login:user:*')
    expect(await redis.ttl(counter)).toBeGreaterThan(1700)
    await redis.del(counter)
    expect((await signIn(password)).status).toBe(200)
  })
})

describe('rate limits', () => {
  const ask = (api: TestApi, prefix: string, token: string) =>
    api.app.inject({ url: `${prefix}/Users/me`, headers: { authorization: `Bearer ${token}` } })
  const limits = { DISABLE_RATE_LIMITS: '', RATE_LIMIT_MAX_PER_WINDOW: '3' }

  test.each([
    ['in Redis', () => server.settings],
    ['in memory', () => ({})],
  ])('both prefixes share one count per caller, %s', async (_where, settings) => {
    const api = await createTestApi({ ...settings(), ...limits })
    const [{ token }, other] = [(await api.apiKey()).caller, (await api.apiKey()).caller]
    const answers = [
      await ask(api, '/v1', token),
      await ask(api, '/api/v1', token),
      await ask(api, '/v1', token),
      await ask(api, '/api/v1', token),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([403, 403, 403, 429])
    expect(answers.map(({ headers }) => headers['ratelimit-remaining'])).toEqual(['2', '1', '0', '0'])
    expect((await ask(api, '/v1', other.token)).statusCode).toBe(403)
    await api.close()
  })

  test('the window ends and is not extended by requests', async () => {
    const api = await createTestApi({ ...server.settings, ...limits })
    const { token } = (await api.apiKey()).caller
    for (let call = 1; call <= 4; call++) await ask(api, '/v1', token)
    const keys = await redis.keys('patchbay:rate:*')
    for (const key of keys) expect(await redis.pttl(key)).toBeGreaterThan(0)
    for (const key of keys) await redis.pexpire(key, 1)
    await expect.poll(async () => (await ask(api, '/v1', token)).statusCode).toBe(403)
    await api.close()
  })
})

describe('registered SIP users', () => {
  const realm = 'sip.example.com'
  const registration = (name: string) => ({
    contact: `sip:${name}@10.0.0.1:5060`,
    sbcAddress: 'udp:10.0.0.9:5060',
    protocol: 'udp',
    proxy: 'sip:10.0.0.1:5060',
  })
  /** Creates a registrar without its cleanup every ten minutes, which would use the closed connection of this test. */
  const createRegistrar = (): Registrar => {
    const setTimer = vi.spyOn(globalThis, 'setInterval')
    const created = new Registrar(log, redis)
    for (const { value } of setTimer.mock.results) clearInterval(value as NodeJS.Timeout)
    setTimer.mockRestore()
    return created
  }

  let api: TestApi
  let account: string
  let bare: string
  let registrar: Registrar
  beforeAll(async () => {
    api = await createTestApi(server.settings)
    const provider = await api.provider()
    account = await api.account(provider, { sip_realm: realm })
    bare = await api.account(provider)
    await redis.flushall()
    registrar = createRegistrar()
    // Flushing Redis also ends all sessions.
    api.admin = api.as((await api.signIn('admin', adminPassword)).body.token)
    for (const name of ['alice', 'bob']) await registrar.add(`${name}@${realm}`, registration(name), 300)
    for (const other of ['b.sip.example.com', 'xsip.example.com', 'sip.example.com.org', 'sipXexample.com'])
      await registrar.add(`mallory@${other}`, registration('mallory'), 300)
    await registrar.add(`gone@${realm}`, registration('gone'), 300)
    await redis.del(`user:gone@${realm}`)
    await redis.zadd('active-user', Date.now() - 1, `user:gone@${realm}`)
  })
  afterAll(() => api.close())

  const users = (sid = account) => `/Accounts/${sid}/RegisteredSipUsers`

  test('the registrations of the realm are listed, without other realms and expired ones', async () => {
    const { status, body } = await api.admin.get(users())
    expect([status, body]).toEqual([200, [`alice@${realm}`, `bob@${realm}`]])
    expect(await redis.zscore('active-user', `user:gone@${realm}`)).toBeNull()
  })

  test('requested users are returned with their registration, and others as inactive', async () => {
    const { status, body } = await api.admin.post(users(), ['bob', 'nobody'])
    expect(status).toBe(200)
    expect(body).toEqual([
      { name: 'bob', ...registration('bob'), expiryTime: expect.any(Number), registered_status: 'active' },
      { name: 'nobody', contact: null, expiryTime: 0, protocol: null, registered_status: 'inactive' },
    ])
  })

  test.each([
    ['an empty list', []],
    ['no list', {}],
    ['nothing', undefined],
  ])('%s requests all users of the realm', async (_what, requestBody) => {
    const { sbcAddress: _alices, ...alice } = registration('alice')
    const { sbcAddress: _bobs, ...bob } = registration('bob')
    const { status, body } = await api.admin.post(users(), requestBody)
    expect(status).toBe(200)
    expect(body).toEqual([
      { name: 'alice', ...alice, expiryTime: expect.any(Number) },
      { name: 'bob', ...bob, expiryTime: expect.any(Number) },
    ])
  })

  test("a single user is returned with the call permissions of the account's client", async () => {
    await api.test.database.db
      .insertInto('clients')
      .values({
        client_sid: randomUUID(),
        account_sid: account,
        username: 'alice',
        is_active: 1,
        password: null,
        allow_direct_app_calling: 1,
        allow_direct_queue_calling: 0,
        allow_direct_user_calling: 1,
      })
      .execute()
    const { contact, protocol, proxy } = registration('alice')
    expect((await api.admin.get(`${users()}/alice`)).body).toEqual({
      name: 'alice',
      contact,
      protocol,
      proxy,
      expiryTime: expect.any(Number),
      allow_direct_app_calling: 1,
      allow_direct_queue_calling: 0,
      allow_direct_user_calling: 1,
      registered_status: 'active',
    })
    const inactive = {
      name: 'nobody',
      contact: null,
      protocol: null,
      proxy: null,
      expiryTime: 0,
      allow_direct_app_calling: 0,
      allow_direct_queue_calling: 0,
      allow_direct_user_calling: 0,
      registered_status: 'inactive',
    }
    expect((await api.admin.get(`${users()}/nobody`)).body).toEqual(inactive)
    expect((await api.admin.get(`${users(bare)}/nobody`)).body).toEqual(inactive)
  })

  test('the registered clients are returned among those that the caller may see', async () => {
    const clients = ['bob', 'gone', 'nobody', 'mallory'].map((username) => ({
      client_sid: randomUUID(),
      account_sid: account,
      username,
    }))
    await api.test.database.db.insertInto('clients').values(clients).execute()
    const alice = await api.test.database.db
      .selectFrom('clients')
      .select('client_sid')
      .where('username', '=', 'alice')
      .executeTakeFirst()
    const { status, body } = await api.admin.get('/patchbay/registered-clients')
    expect(status).toBe(200)
    expect(new Set(body as string[])).toEqual(new Set([alice?.client_sid, clients[0]?.client_sid]))
  })

  test('an account without a realm gets an error', async () => {
    const msg = 'account does not have sip_realm configuration'
    expect(await api.admin.get(users(bare))).toMatchObject({ status: 400, body: { msg } })
    expect(await api.admin.post(users(bare), [])).toMatchObject({ status: 400, body: { msg } })
  })

  test('a name that is not a string is rejected with its value', async () => {
    expect(await api.admin.post(users(), ['bob', 1])).toMatchObject({ status: 400, body: { msg: '1 must be a text' } })
  })

  test('malformed registrations count as not registered', async () => {
    await redis.set(`user:broken@${realm}`, 'no json')
    await redis.set(`user:empty@${realm}`, '{}')
    const { body } = await api.admin.post(users(), ['broken', 'empty'])
    expect(body).toMatchObject([{ registered_status: 'inactive' }, { registered_status: 'inactive' }])
  })

  test('names with pattern characters are matched literally', async () => {
    const registrations = createRedisRegistrations(connection)
    const odd = 'a[b]*?\\.com'
    await registrar.add(`x@${odd}`, registration('x'), 300)
    await registrar.add('y@ab.com', registration('y'), 300)
    expect(await registrations.listNames(odd)).toEqual(['x'])
    expect(await registrations.listNames('*')).toEqual([])
  })

  test('a realm is found among 100,000 registrations of others in many short steps', async () => {
    const expiry = Date.now() + hour
    for (let thousand = 0; thousand < 100; thousand++) {
      const members = Array.from({ length: 1000 }, (_, index) => [
        expiry,
        `user:${thousand}-${index}@other.example.com`,
      ])
      await redis.zadd('active-user', ...members.flat())
    }
    await redis.config('RESETSTAT')
    expect((await api.admin.get(users())).body).toEqual([`alice@${realm}`, `bob@${realm}`])
    const calls = Number(/cmdstat_zscan:calls=(\d+)/.exec(await redis.info('commandstats'))?.[1])
    expect(calls).toBeGreaterThan(50)
  })
})

describe('when Redis is down', () => {
  test('requests that need Redis are rejected with 503, and work again after its return without a restart', async () => {
    const own = await startRedis()
    const api = await createTestApi({ ...own.settings, DISABLE_RATE_LIMITS: '' })
    const { caller } = { caller: api.admin }
    const health = () => api.app.inject({ url: '/health' })
    const unreachable = { status: 503, body: { code: 'unavailable' } }
    expect((await caller.get('/Users/me')).status).toBe(200)

    await own.kill()
    expect(await caller.get('/Users/me')).toMatchObject(unreachable)
    expect(await api.nobody.get('/Users/me')).toMatchObject(unreachable)
    expect(await api.signIn('admin', adminPassword)).toMatchObject(unreachable)
    expect((await health()).statusCode).toBe(200)

    await own.restart()
    // Redis kept the sessions in memory only, so they have ended and do not become public.
    await expect.poll(async () => (await caller.get('/Users/me')).status).toBe(401)
    expect((await api.signIn('admin', adminPassword)).status).toBe(200)
    await api.close()
    await own.stop()
  })

  test('a hanging Redis causes a timeout, and is used again when it responds', async () => {
    const own = await startRedis()
    const api = await createTestApi(own.settings)
    await own.pause()
    // Redis resumes only after this response.
    expect((await api.admin.get('/Users/me')).status).toBe(503)
    own.resume()
    await expect.poll(async () => (await api.admin.get('/Users/me')).status).toBe(200)
    await api.close()
    await own.stop()
  })

  test('the start does not wait indefinitely for Redis', async () => {
    const own = await startRedis()
    await own.kill()
    const late = await connectRedis({ at: { host: '127.0.0.1', port: own.port } }, log)
    await expect(late.run((client) => client.ping())).rejects.toMatchObject({ code: 'unavailable', status: 503 })
    await own.restart()
    await expect.poll(() => late.run((client) => client.ping()).catch(() => 'not yet')).toBe('PONG')
    await late.close()
    await own.stop()
  })

  test('a sign-out in jambonz is noticed after Redis was unavailable', async () => {
    const own = await startRedis()
    const back = await connectRedis({ at: { host: '127.0.0.1', port: own.port } }, log)
    const sessions = createRedisSessions(back)
    await own.restart()
    const there = new Redis(own.port)
    const aliveKeys: string[] = []
    /** Ends another session in jambonz. Returns whether Patchbay has noticed any of the ends. */
    const isAnyNoticed = async (): Promise<boolean> => {
      const user = randomUUID()
      await sessions.start('ours', user, Date.now() + hour)
      await there.del(platformKey(user))
      aliveKeys.push(aliveKey(user))
      return (await there.exists(aliveKeys)) < aliveKeys.length
    }
    // A change is missed until both connections are restored, so each attempt makes a new one.
    await expect.poll(isAnyNoticed).toBe(true)
    there.disconnect()
    await back.close()
    await own.stop()
  })
})
