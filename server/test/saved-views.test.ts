import { randomUUID } from 'node:crypto'
import { maxSavedViews } from '@patchbay/contract/shared/viewed-screens'
import { type Answer, type Caller, member } from '@patchbay/testkit/test-api'
import { openTestWorld, signedIn } from '@patchbay/testkit/test-world'
import { beforeEach, describe, expect, test } from 'vitest'
import { getRow, type Row, readPage, statusAndMessage } from './fixtures.ts'

const { api, world } = await openTestWorld()

interface Settings {
  columns: string[] | null
  views: Row[]
}

let user: Caller
let other: Caller
beforeEach(async () => {
  user = await signedIn(api, world.users['user of A'])
  other = await signedIn(api, world.users['another user of A'])
  await api.test.database.db.deleteFrom('patchbay_saved_views').execute()
  await api.test.database.db.deleteFrom('patchbay_list_columns').execute()
})

const settings = async (caller = user, screen = 'recent-calls') =>
  getRow(await caller.get(`/patchbay/list-settings?screen=${screen}`)) as unknown as Settings

const view = (more: object = {}) => ({ screen: 'recent-calls', name: 'Failed', search: { answered: 'false' }, ...more })
const save = (more: object = {}, caller = user) => caller.post('/patchbay/saved-views', view(more))
const getNames = async (caller = user, screen = 'recent-calls') =>
  (await settings(caller, screen)).views.map(({ name }) => name)
const problem = ({ status, body }: Answer) => [status, Reflect.get(Object(body), 'field')]

describe('saved views', () => {
  test('are created, listed by name, renamed, replaced, and deleted', async () => {
    expect(await settings()).toEqual({ columns: null, views: [] })
    const search = { answered: 'false', number: '+1 508', account: 'all' }
    const created = await save({ name: '  Failed calls ', search })
    expect(created.status).toBe(201)
    const saved_view_sid = member(created, 'sid')
    await save({ name: 'A first one' })
    expect((await settings()).views).toEqual([
      { saved_view_sid: expect.any(String), name: 'A first one', search: { answered: 'false' } },
      { saved_view_sid, name: 'Failed calls', search },
    ])
    expect((await user.put(`/patchbay/saved-views/${saved_view_sid}`, { name: 'Busy' })).status).toBe(204)
    expect((await user.put(`/patchbay/saved-views/${saved_view_sid}`, { search: { sip_status: '486' } })).status).toBe(
      204,
    )
    expect((await settings()).views[1]).toEqual({ saved_view_sid, name: 'Busy', search: { sip_status: '486' } })
    expect((await user.put(`/patchbay/saved-views/${saved_view_sid}`, {})).status).toBe(204)
    expect((await user.delete(`/patchbay/saved-views/${saved_view_sid}`)).status).toBe(204)
    expect(await getNames()).toEqual(['A first one'])
    expect((await user.delete(`/patchbay/saved-views/${saved_view_sid}`)).status).toBe(404)
  })

  test('have names that are unique per user and screen', async () => {
    await save()
    for (const name of ['Failed', 'FAILED', ' failed '])
      expect(statusAndMessage(await save({ name }))).toEqual([422, 'You already have a view with this name'])
    expect(problem(await save())).toEqual([422, 'name'])
    expect((await save({ screen: 'alerts' })).status).toBe(201)
    expect((await save({}, other)).status).toBe(201)
    const second = member(await save({ name: 'Second' }), 'sid')
    expect(problem(await user.put(`/patchbay/saved-views/${second}`, { name: 'failed' }))).toEqual([422, 'name'])
    expect((await user.put(`/patchbay/saved-views/${second}`, { name: 'SECOND' })).status).toBe(204)
    expect(await getNames()).toEqual(['Failed', 'SECOND'])
    expect(await getNames(user, 'alerts')).toEqual(['Failed'])
  })

  test('are invisible to other users, who cannot change them', async () => {
    const path = `/patchbay/saved-views/${member(await save(), 'sid')}`
    const others = [other, api.admin, await signedIn(api, world.users['user of P'])]
    for (const caller of others) {
      expect(await getNames(caller)).toEqual([])
      expect(statusAndMessage(await caller.put(path, { name: 'Mine' }))).toEqual([404, 'Not Found'])
      expect(statusAndMessage(await caller.delete(path))).toEqual([404, 'Not Found'])
    }
    for (const name of ['key of A', 'admin key'] as const)
      expect((await api.as(world.keys[name].token).delete(path)).status).toBe(403)
    expect((await user.put(`/patchbay/saved-views/${randomUUID()}`, { name: 'x' })).status).toBe(404)
    expect((await user.put('/patchbay/saved-views/no-sid', { name: 'x' })).status).toBe(404)
    expect(await getNames()).toEqual(['Failed'])
  })

  test('are limited to 50 per user, also if many are saved concurrently', async () => {
    const answers = await Promise.all(
      Array.from({ length: maxSavedViews + 5 }, (_, n) =>
        save({ name: `View ${n}`, screen: n % 2 === 0 ? 'alerts' : 'recent-calls' }),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(maxSavedViews)
    const refused = answers.filter(({ status }) => status !== 201)
    for (const answer of refused)
      expect(statusAndMessage(answer)).toEqual([400, 'You have 50 saved views, which is the maximum. Delete one first'])
    expect((await save({}, other)).status).toBe(201)
  })

  test('get a name only once if it is saved concurrently', async () => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => save()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(7)
    expect(await getNames()).toEqual(['Failed'])
  })

  test.each([
    ['screen', { screen: 'accounts' }],
    ['screen', { screen: undefined }],
    ['name', { name: '' }],
    ['name', { name: ' \u200b ' }],
    ['name', { name: 'x'.repeat(61) }],
    ['name', { name: null }],
    ['search', { search: undefined }],
    ['search', { search: 'answered=false' }],
    ['search', { search: ['a'] }],
    ['search', { search: { answered: 1 } }],
    ['search', { search: { 'a b': 'c' } }],
    ['search', { search: { a: 'x'.repeat(513) } }],
    ['search', { search: Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`a${n}`, 'x'.repeat(300)])) }],
    ['user_sid', { user_sid: randomUUID() }],
  ])('names an invalid %s: %j', async (field, more) => {
    const answer = await save(more)
    expect([answer.status, String(Reflect.get(Object(answer.body), 'field'))]).toEqual([
      400,
      expect.stringMatching(new RegExp(`^${field}`)),
    ])
    expect(await getNames()).toEqual([])
  })

  test('accept the longest name and search', async () => {
    const name = '😀'.repeat(30)
    const search = { number: `'"\\%_${'é'.repeat(500)}` }
    expect((await save({ name, search })).status).toBe(201)
    expect((await settings()).views).toMatchObject([{ name, search }])
  })

  test('are in the audit trail with the tenant of the user', async () => {
    const sid = member(await save({ name: 'Audited' }), 'sid')
    await user.delete(`/patchbay/saved-views/${sid}`)
    const { data } = await readPage(api.admin, '/patchbay/audit-trail', { kind: 'saved_view', sid })
    expect(data).toMatchObject([
      { action: 'delete', kind: 'saved_view', name: 'Audited', account_sid: world.sid.A },
      { action: 'create', kind: 'saved_view', name: 'Audited', account_sid: world.sid.A },
    ])
  })
})

describe('columns of a list', () => {
  const choose = (columns: unknown, screen = 'recent-calls', caller = user) =>
    caller.put('/patchbay/list-columns', { screen, columns })

  test('are kept per user and screen, in their order', async () => {
    expect((await choose(['to', 'time', 'sip_status'])).status).toBe(204)
    expect((await choose(['time'], 'alerts')).status).toBe(204)
    expect((await settings()).columns).toEqual(['to', 'time', 'sip_status'])
    expect((await settings(user, 'alerts')).columns).toEqual(['time'])
    expect((await settings(other)).columns).toBeNull()
    await choose(['from'])
    expect((await settings()).columns).toEqual(['from'])
    await choose(null)
    expect((await settings()).columns).toBeNull()
  })

  test('contain the last choice after concurrent ones', async () => {
    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((column) => choose([column])))
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 204, 204, 204])
    expect((await settings()).columns).toHaveLength(1)
  })

  test.each([
    [[]],
    [['time', 'time']],
    [['Time']],
    [[1]],
    ['time'],
    [undefined],
    [Array.from({ length: 41 }, (_, n) => `c${n}`)],
  ])('are rejected if they are invalid: %j', async (columns) => {
    const answer = await choose(columns)
    expect([answer.status, String(Reflect.get(Object(answer.body), 'field'))]).toEqual([
      400,
      expect.stringMatching(/^columns/),
    ])
  })
})

test('the settings of a deleted user, and of the users of a deleted account, are deleted', async () => {
  const { db } = api.test.database
  const account_sid = await api.account(world.sid.P)
  const owner = { account_sid, service_provider_sid: world.sid.P }
  const [one, two] = [await api.user(owner), await api.user(owner)]
  const count = async () => [
    (await db.selectFrom('patchbay_saved_views').select('user_sid').execute()).length,
    (await db.selectFrom('patchbay_list_columns').select('user_sid').execute()).length,
  ]
  for (const { caller } of [one, two]) {
    await save({}, caller)
    await caller.put('/patchbay/list-columns', { screen: 'recent-calls', columns: ['time'] })
  }
  await save()
  expect(await count()).toEqual([3, 2])
  expect((await api.admin.delete(`/Users/${one.sid}`)).status).toBe(204)
  expect(await count()).toEqual([2, 1])
  expect((await api.admin.delete(`/Accounts/${account_sid}`)).status).toBe(204)
  expect(await count()).toEqual([1, 0])
  expect(await getNames()).toEqual(['Failed'])
})
