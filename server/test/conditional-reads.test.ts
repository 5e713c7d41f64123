import { brotliDecompressSync } from 'node:zlib'
import { type Endpoint, splitKey } from '@patchbay/contract/api/endpoint'
import { contract } from '@patchbay/contract/contract'
import type { Caller } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { getRow, statusAndMessage } from './fixtures.ts'

/** Reads with If-None-Match: 304 only if the caller would get the content that the tag was made of. */

const { api, world } = await openTestWorld()
const { A, B } = world.things
const { sid } = world

const read = async (caller: Caller, path: string, headers: Readonly<Record<string, string>> = {}) => {
  const authorization = `Bearer ${caller.token}`
  return api.app.inject({ url: `/v1${path}`, headers: { authorization, ...headers } })
}

/** Returns the tag of a successful read. */
const getTag = async (caller: Caller, path: string): Promise<string> => {
  const { statusCode, headers } = await read(caller, path)
  expect([path, statusCode]).toEqual([path, 200])
  return String(headers.etag)
}

const readIfChanged = async (caller: Caller, path: string, tag: string) =>
  (await read(caller, path, { 'if-none-match': tag })).statusCode

const callers: Readonly<Record<string, Caller>> = {
  admin: api.admin,
  'user of P': await signedIn(api, world.users['user of P']),
  'view-only user of P': await signedIn(api, world.users['view-only user of P']),
  'user of A': await signedIn(api, world.users['user of A']),
  'user of A2': await signedIn(api, world.users['user of A2']),
  'user of B': await signedIn(api, world.users['user of B']),
  'key of P': api.as(world.keys['key of P'].token),
  'key of A': api.as(world.keys['key of A'].token),
  'key of B': api.as(world.keys['key of B'].token),
}
const caller = (name: string): Caller => callers[name] ?? api.as('')

const ownSids: Readonly<Record<string, string>> = {
  ...A,
  account_sid: sid.A,
  service_provider_sid: sid.P,
  user_sid: world.users['user of A'].user_sid,
}

/** Every path that reads records below the account A, its provider, and its things. */
const recordPaths = Object.entries<Endpoint>(contract).flatMap(([key, endpoint]) => {
  const { method, path } = splitKey(key)
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name = '']) => name)
  const isStored = method === 'GET' && !endpoint.bytes && names.every((name) => Object.hasOwn(ownSids, name))
  return isStored ? [path.replace(/:(\w+)/g, (_match, name: string) => ownSids[name] ?? '')] : []
})

test('every response of stored records has a tag, and 304 for it as long as nothing changes', async () => {
  const tagged: string[] = []
  for (const path of recordPaths) {
    const first = await read(api.admin, path)
    const { etag } = first.headers
    expect([path, etag !== undefined]).toEqual([path, first.statusCode === 200])
    if (etag === undefined) continue
    const again = await read(api.admin, path)
    // Responses that contain the time, or that a check has produced, differ each time.
    if (again.body !== first.body) continue
    expect([path, again.headers.etag, await readIfChanged(api.admin, path, etag)]).toEqual([path, etag, 304])
    tagged.push(path)
  }
  expect(tagged).toEqual(expect.arrayContaining(['/Accounts', `/Accounts/${sid.A}`, '/Users/me', '/VoipCarriers']))
  expect(tagged.length).toBeGreaterThan(40)
})

test('a 304 has no body, and the headers of the response that it stands for', async () => {
  const tag = await getTag(api.admin, '/Accounts')
  expect(tag).toMatch(/^W\/"[\w-]{22}"$/)
  const { statusCode, body, headers } = await read(api.admin, '/Accounts', { 'if-none-match': `"other", ${tag}` })
  expect([statusCode, body, headers.etag]).toEqual([304, '', tag])
  expect(headers['cache-control']).toContain('no-store')
  expect(headers['content-type']).toBeUndefined()
  expect(headers['content-length']).toBeUndefined()
  expect(await readIfChanged(api.admin, '/Accounts', '*')).toBe(304)
  expect(await readIfChanged(api.admin, '/Accounts', '"other"')).toBe(200)
})

test('a compressed response has the same tag, and a 304 is not compressed', async () => {
  await api.account(sid.P, { name: 'an account that makes the list long enough for the compression' })
  const plain = await read(api.admin, '/Accounts')
  const compressed = await read(api.admin, '/Accounts', { 'accept-encoding': 'br' })
  expect([compressed.headers['content-encoding'], compressed.headers.etag]).toEqual(['br', plain.headers.etag])
  expect(brotliDecompressSync(compressed.rawPayload).toString()).toBe(plain.body)
  const conditional = { 'accept-encoding': 'br', 'if-none-match': String(plain.headers.etag) }
  const { statusCode, headers, rawPayload } = await read(api.admin, '/Accounts', conditional)
  expect([statusCode, headers['content-encoding'], rawPayload.length]).toEqual([304, undefined, 0])
})

test('HEAD has the tag of GET, and 304 for it', async () => {
  const tag = await getTag(api.admin, '/Accounts')
  const head = async (headers: Record<string, string> = {}) => {
    const authorization = `Bearer ${api.admin.token}`
    return api.app.inject({ method: 'HEAD', url: '/v1/Accounts', headers: { authorization, ...headers } })
  }
  const plain = await head()
  expect([plain.statusCode, plain.headers.etag, plain.body]).toEqual([200, tag, ''])
  const matched = await head({ 'if-none-match': tag })
  expect([matched.statusCode, matched.headers.etag, matched.body]).toEqual([304, tag, ''])
})

describe('a change', () => {
  test('gives the record and its lists another tag, and undoing it gives the former one', async () => {
    const ofA = caller('user of A')
    const paths = [`/Applications/${A.application_sid}`, `/Accounts/${sid.A}/Applications`]
    const rename = async (name: string) => ofA.put(paths[0] ?? '', { name })
    await rename('before')
    const tags = await Promise.all(paths.map((path) => getTag(ofA, path)))
    expect((await rename('after')).status).toBe(204)
    for (const [position, path] of paths.entries()) {
      const changed = await read(ofA, path, { 'if-none-match': tags[position] ?? '' })
      expect([path, changed.statusCode]).toEqual([path, 200])
      expect(changed.body).toContain('after')
    }
    await rename('before')
    expect(await Promise.all(paths.map((path) => getTag(ofA, path)))).toEqual(tags)
  })

  test('by another program, past the write path, is seen by the next read', async () => {
    const path = `/Accounts/${sid.A}`
    const tag = await getTag(api.admin, path)
    const { db } = api.test.database
    await db.updateTable('accounts').set({ name: 'renamed elsewhere' }).where('account_sid', '=', sid.A).execute()
    const changed = await read(api.admin, path, { 'if-none-match': tag })
    expect([changed.statusCode, changed.json().name]).toEqual([200, 'renamed elsewhere'])
  })

  test('on one page of a list changes the tag of that page only', async () => {
    const account = await api.account(sid.P)
    const hook = { url: 'https://hooks.example.org', method: 'POST' }
    const created: string[] = []
    for (const name of ['a', 'b', 'c']) {
      const application = { account_sid: account, name, call_hook: hook, call_status_hook: hook }
      created.push(String(getRow(await api.admin.post('/Applications', application))['sid']))
    }
    const page = (number: number) => `/Accounts/${account}/Applications?page=${number}&page_size=2`
    const tags = await Promise.all([1, 2].map((number) => getTag(api.admin, page(number))))
    expect(new Set(tags).size).toBe(2)
    await api.admin.put(`/Applications/${created[0]}`, { name: 'aa' })
    const [first = '', second = ''] = tags
    expect(await readIfChanged(api.admin, page(1), first)).toBe(200)
    expect(await readIfChanged(api.admin, page(2), second)).toBe(304)
    expect(await readIfChanged(api.admin, page(2), first)).toBe(200)
  })
})

describe('the tag of another caller', () => {
  const paths = ['/Accounts', '/Applications', '/VoipCarriers', '/PhoneNumbers', '/Users/me', `/Accounts/${sid.A}`]

  test('gives 304 only if both callers get the same content', async () => {
    const outcomes = { same: 0, different: 0 }
    for (const path of paths) {
      const responses = await Promise.all(Object.values(callers).map((one) => read(one, path)))
      for (const [of, ownResponse] of responses.entries())
        for (const [position, otherResponse] of responses.entries()) {
          if (position === of || otherResponse.statusCode !== 200) continue
          const name = Object.keys(callers)[of] ?? ''
          const status = await readIfChanged(caller(name), path, String(otherResponse.headers.etag))
          const isSame = ownResponse.statusCode === 200 && ownResponse.body === otherResponse.body
          expect([path, name, status]).toEqual([path, name, isSame ? 304 : ownResponse.statusCode])
          outcomes[isSame ? 'same' : 'different'] += 1
        }
    }
    expect(outcomes.same).toBeGreaterThan(5)
    expect(outcomes.different).toBeGreaterThan(100)
  })

  test('gives a view-only user the masked record instead of 304', async () => {
    const path = `/Applications/${A.application_sid}`
    const call_hook = { url: 'https://someone:a-password@hooks.example.org/calls', method: 'POST' }
    expect(statusAndMessage(await api.admin.put(path, { call_hook }))).toEqual([204, undefined])
    const tag = await getTag(caller('user of P'), path)
    const masked = await read(caller('view-only user of P'), path, { 'if-none-match': tag })
    expect(masked.statusCode).toBe(200)
    expect(masked.body).not.toContain('a-password')
  })
})

describe('errors are the same with any tag', () => {
  const all = { 'if-none-match': '*' }

  test.each([
    ['a record of another tenant', 'user of A', `/Accounts/${sid.B}`, 403],
    ['an application of another tenant', 'user of A', `/Applications/${B.application_sid}`, 404],
    ['a record that does not exist', 'admin', '/Applications/00000000-0000-4000-8000-000000000000', 404],
    ['a malformed sid', 'admin', '/Applications/malformed', 400],
    ['a page that is not a number', 'admin', `/Accounts/${sid.A}/Applications?page=x`, 400],
    ['a request without a token', 'no token', '/Accounts', 401],
  ])('%s', async (_what, name, path, status) => {
    const plain = await (name === 'no token' ? api.app.inject(`/v1${path}`) : read(caller(name), path))
    const conditional =
      name === 'no token'
        ? await api.app.inject({ url: `/v1${path}`, headers: all })
        : await read(caller(name), path, all)
    expect([plain.statusCode, conditional.statusCode]).toEqual([status, status])
    expect([conditional.body, conditional.headers.etag]).toEqual([plain.body, undefined])
  })

  test('a session that has ended, and a record that was deleted', async () => {
    const user = await api.user({ account_sid: sid.A })
    const application = String(
      getRow(
        await user.caller.post('/Applications', {
          account_sid: sid.A,
          name: 'deleted soon',
          call_hook: { url: 'https://hooks.example.org', method: 'POST' },
          call_status_hook: { url: 'https://hooks.example.org', method: 'POST' },
        }),
      )['sid'],
    )
    const path = `/Applications/${application}`
    const tag = await getTag(user.caller, path)
    expect(await readIfChanged(user.caller, path, tag)).toBe(304)
    expect((await user.caller.delete(path)).status).toBe(204)
    expect(await readIfChanged(api.admin, path, tag)).toBe(404)
    const me = await getTag(user.caller, '/Users/me')
    expect((await user.caller.post('/logout')).status).toBe(204)
    expect(await readIfChanged(user.caller, '/Users/me', me)).toBe(401)
  })
})

test('changes and sign-ins have no tag', async () => {
  const created = await api.admin.post('/Accounts', { name: 'untagged', service_provider_sid: sid.P })
  expect([created.status, created.headers.etag]).toEqual([201, undefined])
  const session = await api.signIn('admin', 'a wrong password')
  expect(session.headers.etag).toBeUndefined()
})
