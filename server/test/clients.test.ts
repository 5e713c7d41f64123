import { randomUUID } from 'node:crypto'
import { readByPlatform } from '@patchbay/testkit/crash/platform-decrypt'
import { type Caller, createTestApi, member } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn, type UserName, type World } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRow, getRows, type Row, snapshot, statusAndMessage } from './fixtures.ts'
import { expectDeletedOnce, listInEachScope } from './owned-records.ts'

const { api, world } = await openTestWorld()

const as = (name: UserName, of: World = world) => signedIn(api, of.users[name])
const createClient = async (body: object = {}, caller: Caller = api.admin) =>
  member(await caller.post('/Clients', { account_sid: world.sid.A, username: randomUUID(), ...body }), 'sid')
const read = async (sid: string) => getRow(await api.admin.get(`/Clients/${sid}`))
const put = async (sid: string, body: object, caller: Caller = api.admin) =>
  statusAndMessage(await caller.put(`/Clients/${sid}`, body))
const done = [204, undefined]

const storedIn = async (client_sid: string): Promise<string | null> => {
  const { db } = api.test.database
  const row = await db
    .selectFrom('clients')
    .select('password')
    .where('client_sid', '=', client_sid)
    .executeTakeFirstOrThrow()
  return row.password
}

test('API-111 API-112 API-113 API-114 CLIENTS-13 a client is created, read, changed, and deleted', async () => {
  const { A: account_sid } = world.sid
  const flags = {
    is_active: 1,
    allow_direct_app_calling: 0,
    allow_direct_queue_calling: 1,
    allow_direct_user_calling: 1,
  }
  const input = { account_sid, username: 'daveh', password: 'sdf12412', ...flags }
  const client_sid = member(await api.admin.post('/Clients', input), 'sid')
  const row = { client_sid, ...input, password: 'sXXXXXXX' }
  expect(await read(client_sid)).toEqual(row)
  expect(await put(client_sid, { is_active: 0, allow_direct_app_calling: true })).toEqual(done)
  let expected: Record<string, unknown> = { ...row, is_active: 0, allow_direct_app_calling: 1 }
  expect(await read(client_sid)).toEqual(expected)
  for (const permission of ['app', 'queue', 'user'].map((kind) => `allow_direct_${kind}_calling`))
    for (const value of [0, 1, 0]) {
      expect(await put(client_sid, { [permission]: value })).toEqual(done)
      expected = { ...expected, [permission]: value }
      expect(await read(client_sid)).toEqual(expected)
    }
  expect(await put(client_sid, {})).toEqual(done)
  expect(await read(client_sid)).toEqual(expected)
  expect(await put(client_sid, { username: 'dave h@home', password: 'another' })).toEqual(done)
  expect(await read(client_sid)).toMatchObject({ username: 'dave h@home', password: 'aXXXXXX', is_active: 0 })
  await expectDeletedOnce(api.admin, `/Clients/${client_sid}`)
  for (const none of [client_sid, 'nonsense']) {
    expect((await api.admin.get(`/Clients/${none}`)).status).toBe(404)
    expect((await put(none, { is_active: 1 }))[0]).toBe(404)
  }
})

test('a new client is active and may call everything by default, and its realm is that of the account', async () => {
  const on = { is_active: 1, allow_direct_app_calling: 1, allow_direct_queue_calling: 1, allow_direct_user_calling: 1 }
  const { account_sid, ...row } = await read(await createClient())
  expect(row).toMatchObject({ ...on, password: null })
  expect(getRow(await api.admin.get(`/Accounts/${String(account_sid)}`))['sip_realm']).toMatch(/example\.org$/)
})

test('API-110 GET Clients returns the clients the caller may see, with their permissions', async () => {
  const { actual, expected } = await listInEachScope(api, '/Clients', 'client_sid')
  expect(actual).toEqual(expected)
  for (const name of ['user of A', 'user of P', 'user of Q', 'admin'] as const)
    for (const row of getRows(await (await as(name)).get('/Clients')))
      expect(row).toMatchObject({ allow_direct_user_calling: 1 })
})

describe('the password', () => {
  test('is encrypted as jambonz expects with a new nonce each time, and never returned', async () => {
    const password = 'pässword 😀 of a device'
    const [one, other] = [await createClient({ password }), await createClient({ password })]
    const [stored, storedToo] = [await storedIn(one), await storedIn(other)]
    expect([readByPlatform(stored), readByPlatform(storedToo)]).toEqual([password, password])
    expect(stored).not.toBe(storedToo)
    const responses = [await api.admin.get(`/Clients/${one}`), await api.admin.get('/Clients')].map(({ text }) => text)
    const trail = await api.admin.get(`/patchbay/audit-trail?page=1&count=25&kind=client&sid=${one}`)
    for (const text of [...responses, trail.text]) {
      expect(text).not.toContain('ssword 😀')
      expect(text).not.toContain(JSON.parse(stored ?? '').content)
    }
  })

  test('remains if it is absent or masked; another mask is rejected, and null or an empty string clears it', async () => {
    const sid = await createClient({ password: 'sdf12412' })
    const stored = await storedIn(sid)
    const { client_sid, ...whole } = await read(sid)
    expect(client_sid).toBe(sid)
    for (const body of [{ is_active: 0 }, { password: 'sXXXXXXX' }, whole]) expect(await put(sid, body)).toEqual(done)
    expect(await storedIn(sid)).toBe(stored)
    const masked = [400, 'password is masked: send the complete value']
    for (const password of ['sXXXXXX', 'tXXXXXXX', 'XXXXXXXX']) expect(await put(sid, { password })).toEqual(masked)
    const add = { account_sid: world.sid.A, username: randomUUID(), password: 'sXXXXXXX' }
    expect(statusAndMessage(await api.admin.post('/Clients', add))).toEqual(masked)
    expect(await storedIn(sid)).toBe(stored)
    for (const password of [null, '']) {
      expect(await put(sid, { password: 'again' })).toEqual(done)
      expect(await put(sid, { password })).toEqual(done)
      expect([await storedIn(sid), (await read(sid))['password']]).toEqual([null, null])
    }
  })

  test('is fully masked if it has one character, and the longest permitted one can be stored', async () => {
    expect(await read(await createClient({ password: 'p' }))).toMatchObject({ password: 'X' })
    for (const password of ['p'.repeat(128), 'ü'.repeat(128), '😀'.repeat(64)])
      expect(readByPlatform(await storedIn(await createClient({ password })))).toBe(password)
    const long = { account_sid: world.sid.A, username: randomUUID(), password: 'p'.repeat(129) }
    expect(await api.admin.post('/Clients', long)).toMatchObject({ status: 400, body: { field: 'password' } })
  })

  test("is stored with jambonz's legacy encryption if configured", async () => {
    const older = await createTestApi({ LEGACY_CRYPTO: '1' })
    try {
      const account_sid = await older.account(await older.provider())
      const body = { account_sid, username: 'device', password: 'sdf12412' }
      const sid = member(await older.admin.post('/Clients', body), 'sid')
      const { password } = await older.test.database.db
        .selectFrom('clients')
        .select('password')
        .executeTakeFirstOrThrow()
      expect(readByPlatform(password, 'aes-256-ctr')).toBe(body.password)
      expect((await older.admin.get(`/Clients/${sid}`)).body).toMatchObject({ password: 'sXXXXXXX' })
    } finally {
      await older.close()
    }
  })

  test('that is unreadable is returned as null', async () => {
    const sid = await createClient({ password: 'sdf12412' })
    for (const password of ['', 'plain', '{"iv":"00","content":"00"}']) {
      await api.test.database.db.updateTable('clients').set({ password }).where('client_sid', '=', sid).execute()
      expect(await read(sid)).toMatchObject({ password: null })
    }
  })
})

describe('the owner of a client', () => {
  test('is the own account for its users, regardless of the request', async () => {
    const { A, A2 } = world.sid
    const ofA = await as('user of A')
    const sid = await createClient({ account_sid: A2 }, ofA)
    expect(await read(sid)).toMatchObject({ account_sid: A })
    expect(
      await read(await createClient({ account_sid: undefined }, api.as(world.keys['key of A'].token))),
    ).toMatchObject({
      account_sid: A,
    })
    expect(await put(sid, { account_sid: A2 }, ofA)).toEqual(done)
    expect(await read(sid)).toMatchObject({ account_sid: A })
    expect(await put(sid, { account_sid: A2 }, await as('user of P'))).toEqual(done)
    expect(await read(sid)).toMatchObject({ account_sid: A2 })
    expect(await put(sid, {}, ofA)).toEqual([404, 'Not Found'])
  })

  test.each<[UserName, string | undefined, [number, string]]>([
    ['user of P', 'B', [403, 'insufficient permissions']],
    ['user of P', 'xxx', [403, 'insufficient permissions']],
    ['admin', 'xxx', [400, 'unknown account_sid']],
  ])('%s cannot assign a client to the account %s', async (name, account, refusal) => {
    const sids: Readonly<Record<string, string>> = world.sid
    const caller = await as(name)
    const account_sid = sids[account ?? ''] ?? account
    const { client_sid } = world.things.A
    const before = await snapshot(api)
    expect(statusAndMessage(await caller.post('/Clients', { account_sid, username: 'x' }))).toEqual(refusal)
    expect(await put(client_sid, { account_sid }, caller)).toEqual(refusal)
    expect(await snapshot(api)).toEqual(before)
  })

  test('the audit trail shows changes of a client to its owner', async () => {
    const ofP = await as('user of P')
    const username = randomUUID()
    const sid = await createClient({ username, password: 'sdf12412' }, ofP)
    await ofP.put(`/Clients/${sid}`, { is_active: false, password: 'sXXXXXXX' })
    await ofP.delete(`/Clients/${sid}`)
    const trail = await ofP.get(`/patchbay/audit-trail?page=1&count=25&kind=client&sid=${sid}`)
    const entries = getRow(trail)['data'] as Row[]
    expect(entries.map(({ action, name, account_sid }) => [action, name, account_sid])).toEqual(
      ['delete', 'update', 'create'].map((action) => [action, username, world.sid.A]),
    )
    expect(entries[1]?.['changes']).toEqual([{ field: 'is_active', before: 1, after: 0 }])
  })
})

describe('user names', () => {
  const taken = { status: 400, body: { msg: "the client's username already exists", field: 'username' } }

  test('are unique within an account regardless of case, and can be used by several accounts', async () => {
    const { A, A2 } = world.sid
    const username = `device-${randomUUID()}`
    const sid = await createClient({ username })
    const again = { account_sid: A, username: username.toUpperCase() }
    expect(await api.admin.post('/Clients', again)).toMatchObject(taken)
    const other = await createClient()
    expect(await api.admin.put(`/Clients/${other}`, { username })).toMatchObject(taken)
    expect(await put(sid, { username: username.toUpperCase() })).toEqual(done)
    const elsewhere = await createClient({ account_sid: A2, username })
    expect(await api.admin.put(`/Clients/${elsewhere}`, { account_sid: A })).toMatchObject(taken)
    expect(await put(elsewhere, { account_sid: A, username: randomUUID() })).toEqual(done)
  })

  test.each([
    [{ account_sid: undefined, username: 'x' }, 'missing field account_sid'],
    [{ username: undefined }, 'missing field username'],
    [{ username: ' ' }, 'username must not be empty'],
    [{ username: null }, 'username must be text'],
    [{ username: 'x'.repeat(65) }, 'username must be at most 64 characters long'],
    [{ is_active: 2 }, 'is_active must be true, false, 0 or 1'],
    [{ realm: 'x' }, 'unknown field realm'],
  ])('%j is rejected', async (wrong, msg) => {
    const body = { account_sid: world.sid.A, username: randomUUID(), ...wrong }
    expect(statusAndMessage(await api.admin.post('/Clients', body))).toEqual([400, msg])
  })
})
