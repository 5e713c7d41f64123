import { randomUUID } from 'node:crypto'
import { type Answer, type Caller, createTestApi, member } from '@patchbay/testkit/test-api'
import { createWorld, openTestWorld, signedIn, type UserName, type World } from '@patchbay/testkit/test-world'
import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { countMentions, getRow, getRows, type Row, snapshot, sorted, statusAndMessage } from './fixtures.ts'
import { listInEachScope, readAuditEntries, readStatuses } from './owned-records.ts'

const { api, world } = await openTestWorld()

const insert = async (row: {
  name: string
  account_sid?: string
  service_provider_sid?: string
  call_hook_sid?: string
  messaging_hook_sid?: string
  env_vars?: string
}) => {
  const application_sid = randomUUID()
  await api.test.database.db
    .insertInto('applications')
    .values({ application_sid, ...row })
    .execute()
  return application_sid
}

const hook = async () => {
  const webhook_sid = randomUUID()
  const row = {
    webhook_sid,
    url: 'wss://app.example.org',
    method: 'GET',
    username: 'u',
    password: 'hook-password',
  } as const
  await api.test.database.db.insertInto('webhooks').values(row).execute()
  return row
}

const as = (name: UserName, of: World = world) => signedIn(api, of.users[name])
const url = 'http://127.0.0.1:9/hook'
const hooks = { call_hook: { url }, call_status_hook: { url: `${url}/status` } }
const add = (more: object = {}, caller: Caller = api.admin) =>
  caller.post('/Applications', { name: randomUUID(), account_sid: world.sid.A, ...hooks, ...more })
const createAndGetSid = async (more: object = {}, caller: Caller = api.admin) => member(await add(more, caller), 'sid')
const read = async (sid: string) => getRow(await api.admin.get(`/Applications/${sid}`))
const put = async (sid: string, body: object, caller: Caller = api.admin) =>
  statusAndMessage(await caller.put(`/Applications/${sid}`, body))
const done = [204, undefined]
const webhookSid = (row: Row, name: string): string => String(Reflect.get(Object(row[name]), 'webhook_sid'))
const readStored = (application_sid: string) =>
  api.test.database.db
    .selectFrom('applications')
    .selectAll()
    .where('application_sid', '=', application_sid)
    .executeTakeFirstOrThrow()
const readHistory = (sid: string) => readAuditEntries(api.admin, 'application', sid)
const change = (entry: Row | undefined, field: string) =>
  (entry?.['changes'] as Row[] | undefined)?.find((one) => one['field'] === field)
const noneFailed = (answers: readonly Answer[]) =>
  expect(answers.filter(({ status }) => status >= 500).map(({ text }) => text)).toEqual([])
const getStatuses = (answers: readonly Answer[]) => sorted(answers.map(({ status }) => status))

const getSids = (rows: readonly Row[]): string[] => sorted(rows.map((row) => row['application_sid']))
const namesIn = (page: Row): unknown[] => (page['data'] as Row[]).map((row) => row['name'])

describe('a single application', () => {
  test('API-031 APPS-45 GET Applications/{sid} returns every field, hooks with their sid, and decrypted variables', async () => {
    const { webhook_sid, ...rest } = await hook()
    const { encryption } = api.services
    const env_vars = { GREETING: 'hello', RETRIES: 3, API_KEY: 'sk-0123456789' }
    const sid = await insert({
      name: 'whole',
      account_sid: world.sid.A,
      call_hook_sid: webhook_sid,
      messaging_hook_sid: webhook_sid,
      env_vars: encryption.encrypt(JSON.stringify(env_vars)),
    })
    const response = getRow(await api.admin.get(`/Applications/${sid}`))
    expect(response).toEqual({
      application_sid: sid,
      name: 'whole',
      service_provider_sid: null,
      account_sid: world.sid.A,
      call_hook: { webhook_sid, ...rest },
      call_status_hook: null,
      messaging_hook: { webhook_sid, ...rest },
      app_json: null,
      speech_synthesis_vendor: 'google',
      speech_synthesis_language: 'en-US',
      speech_synthesis_voice: 'en-US-Standard-C',
      speech_synthesis_label: null,
      speech_recognizer_vendor: 'google',
      speech_recognizer_language: 'en-US',
      speech_recognizer_label: null,
      use_for_fallback_speech: 0,
      fallback_speech_synthesis_vendor: null,
      fallback_speech_synthesis_language: null,
      fallback_speech_synthesis_voice: null,
      fallback_speech_synthesis_label: null,
      fallback_speech_recognizer_vendor: null,
      fallback_speech_recognizer_language: null,
      fallback_speech_recognizer_label: null,
      env_vars,
      created_at: expect.stringMatching(/^\d{4}-.*Z$/) as unknown,
      record_all_calls: 0,
    })

    const viewer = await signedIn(api, world.users['view-only user of A'])
    const masked = getRow(await viewer.get(`/Applications/${sid}`))
    expect(masked).toEqual({
      ...response,
      call_hook: { webhook_sid, ...rest, password: 'XXXXXXXX' },
      messaging_hook: { webhook_sid, ...rest, password: 'XXXXXXXX' },
      env_vars: { ...env_vars, API_KEY: 'sk-012XXXXXXX' },
    })
    for (const path of ['/Applications', `/Accounts/${world.sid.A}/Applications`]) {
      const listed = getRows(await viewer.get(path)).find((row) => row['application_sid'] === sid)
      expect([path, listed]).toEqual([path, masked])
    }
  })

  test('unreadable variables are treated as empty', async () => {
    for (const [env_vars, expected] of [
      ['no secret of ours', {}],
      [api.services.encryption.encrypt('"a text"'), {}],
      [undefined, null],
    ] as const) {
      const sid = await insert({ name: randomUUID(), account_sid: world.sid.A, ...(env_vars ? { env_vars } : {}) })
      expect(getRow(await api.admin.get(`/Applications/${sid}`))['env_vars']).toEqual(expected)
    }
  })

  test('an application of a provider without an account can be read by that provider only', async () => {
    const sid = await insert({ name: 'test application', service_provider_sid: world.sid.P })
    const names = ['user of P', 'user of Q', 'user of A'] as const
    expect(await readStatuses(api, world, `/Applications/${sid}`, names)).toEqual([200, 404, 404])
  })

  test('an application of an account does not belong to another provider, even if its row names one', async () => {
    const sid = await insert({ name: 'of A', account_sid: world.sid.A, service_provider_sid: world.sid.Q })
    expect(await readStatuses(api, world, `/Applications/${sid}`, ['user of P', 'user of Q'])).toEqual([200, 404])
  })

  test('an invalid sid is 400, an unknown one 404', async () => {
    expect((await api.admin.get('/Applications/nonsense')).status).toBe(400)
    expect((await api.admin.get(`/Applications/${randomUUID()}`)).status).toBe(404)
  })
})

describe('lists', () => {
  test("API-030 GET Applications returns what the caller may see, and a provider's list contains no other tenant's", async () => {
    const { things, sid, users } = await createWorld(api)
    const [ofA, ofA2, ofB] = [things.A, things.A2, things.B].map(({ application_sid }) => application_sid)
    const seen = async (name: 'user of A' | 'user of P' | 'user of B' | 'admin', path: string) =>
      getSids(getRows(await (await signedIn(api, users[name])).get(path)))
    const { actual, expected } = await listInEachScope(api, '/Applications', 'application_sid')
    expect(actual).toEqual(expected)
    expect(await seen('user of B', `/Applications?account_sid=${sid.A}`)).toEqual([ofB])
    const ofProvider = `/ServiceProviders/${sid.P}/Applications`
    expect(await seen('user of P', ofProvider)).toEqual(sorted([ofA, ofA2]))
    expect(await seen('admin', ofProvider)).toEqual(sorted([ofA, ofA2]))
    expect(await seen('user of A', ofProvider)).toEqual([ofA])
    expect(await seen('user of P', `/Accounts/${sid.A}/Applications`)).toEqual([ofA])
  })

  describe('lists of an account', () => {
    let path: string
    beforeAll(async () => {
      const account_sid = await api.account(world.sid.P)
      path = `/Accounts/${account_sid}/Applications`
      for (const name of ['beta', 'Alpha', 'gamma 100%', 'Hotel_1', 'hotelx1']) await insert({ name, account_sid })
    })
    const page = async (query: string) => getRow(await api.admin.get(`${path}?${query}`))

    test('API-029 GET Accounts/{sid}/Applications with page, page_size, and name returns data and total, sorted by name', async () => {
      const first = await page('page=1&page_size=3')
      expect(first).toMatchObject({ total: 5, page: 1, page_size: 3 })
      expect(namesIn(first)).toEqual(['Alpha', 'beta', 'gamma 100%'])
      expect(namesIn(await page('page=2&page_size=2'))[0]).toBe('gamma 100%')
      expect(namesIn(await page('page=1&page_size=10'))).toHaveLength(5)
      const filtered = await page('page=1&page_size=10&name=ALPHA')
      expect([filtered['total'], namesIn(filtered)]).toEqual([1, ['Alpha']])
    })

    test.each([
      ['page=', { page: 0, page_size: 50 }, 5],
      ['page=0&page_size=2', { page: 0, page_size: 2 }, 2],
      ['page=1', { page: 1, page_size: 50 }, 5],
      ['page=1&page_size=', { page: 1, page_size: 0 }, 0],
      ['page=1&page_size=0', { page: 1, page_size: 0 }, 0],
      ['page=9&page_size=2', { page: 9, page_size: 2 }, 0],
      ['page=999999999&page_size=999999', { page: 999_999_999, page_size: 999_999 }, 0],
    ])('%s returns %j and %i rows', async (query, answered, rows) => {
      const response = await page(query)
      expect(response).toMatchObject({ ...answered, total: 5 })
      expect(response['data']).toHaveLength(rows)
    })

    test.each(['page=-1', 'page=x', 'page=1&page_size=-1', 'page=1&page_size=1.5', 'page=1&page=2', 'page_size=x'])(
      '%s is 400 and named',
      async (query) => {
        const { status, body } = await api.admin.get(`${path}?${query}`)
        expect([status, body]).toEqual([
          400,
          expect.objectContaining({ msg: expect.stringMatching(/"page(_size)?"/) as unknown }),
        ])
      },
    )

    test.each([
      ['a', 3],
      ['HOTEL', 2],
      ['hotel_1', 2],
      ['a%a', 2],
      ['hotel\\_1', 1],
      ['100\\%', 1],
      ["' OR 1=1 --", 0],
    ])('the name %s matches %i applications, with and without a page', async (name, count) => {
      const query = String(new URLSearchParams({ name }))
      expect(getRows(await api.admin.get(`${path}?${query}`))).toHaveLength(count)
      expect((await page(`${query}&page=1`))['total']).toBe(count)
    })

    test('without a page, all are returned, sorted by sid', async () => {
      const sids = getRows(await api.admin.get(path)).map((row) => row['application_sid'])
      expect(sids).toHaveLength(5)
      expect(sids).toEqual(sorted(sids))
    })
  })
})

test('an optional hook is omitted if the database has no column for it', async () => {
  const { createApplicationStore } = await import('@patchbay/server/resources/applications/store')
  const { webhook_sid } = await hook()
  const sid = await insert({ name: 'lacking', account_sid: world.sid.A2, messaging_hook_sid: webhook_sid })
  const admin = {
    token: 'user',
    scope: 'admin',
    user_sid: null,
    account_sid: null,
    service_provider_sid: null,
    is_view_only: false,
    must_change_password: false,
  } as const
  const readHook = async (missingSchema: ReadonlySet<string>) =>
    (await createApplicationStore(api.test.database, missingSchema, api.services.encryption).read(admin, sid))
      ?.messaging_hook
  expect(await readHook(new Set())).toMatchObject({ webhook_sid })
  expect(await readHook(new Set(['applications.messaging_hook_sid']))).toBeNull()
})

/** Each member has another value, so that no member can be confused with another. */
const everything = {
  app_json: '[{"verb":"say","text":"hello"},{"play":{"url":"https://a.example.org/x.mp3"}}]',
  speech_synthesis_vendor: 'microsoft',
  speech_synthesis_language: 'de-DE',
  speech_synthesis_voice: 'de-DE-KatjaNeural',
  speech_synthesis_label: 'voice',
  speech_recognizer_vendor: 'deepgram',
  speech_recognizer_language: 'de-AT',
  speech_recognizer_label: 'ear',
  use_for_fallback_speech: 1,
  fallback_speech_synthesis_vendor: 'aws',
  fallback_speech_synthesis_language: 'en-GB',
  fallback_speech_synthesis_voice: 'Amy',
  fallback_speech_synthesis_label: 'other voice',
  fallback_speech_recognizer_vendor: 'google',
  fallback_speech_recognizer_language: 'en-IE',
  fallback_speech_recognizer_label: 'other ear',
  env_vars: { GREETING: 'hello', RETRIES: 3, LOUD: true, NOTHING: null },
  record_all_calls: 1,
}

describe('changing an application', () => {
  test('API-032 API-033 API-034 APPS-45 creates, reads, changes, and deletes it completely, including its hooks', async () => {
    const call_hook = { url, method: 'POST', username: 'u', password: 'hook-password' }
    const call_status_hook = { url: 'wss://app.example.org', method: 'GET', username: null, password: null }
    const messaging_hook = { url: 'http://localhost:3000/sms', method: 'POST', username: null, password: null }
    const input = { ...everything, call_hook, call_status_hook, messaging_hook, account_sid: world.sid.A }
    const sid = await createAndGetSid({ ...input, name: 'the first' })
    const row = await read(sid)
    expect(row).toMatchObject({ ...input, name: 'the first', application_sid: sid, service_provider_sid: null })

    const other = { name: 'the second', speech_synthesis_voice: null, record_all_calls: false, env_vars: null }
    expect(await put(sid, { ...other, app_json: null, use_for_fallback_speech: 0 })).toEqual(done)
    const then: Row = { ...row, ...other, app_json: null, use_for_fallback_speech: 0, record_all_calls: 0 }
    expect(await read(sid)).toEqual(then)
    expect(await put(sid, {})).toEqual(done)
    expect(await read(sid)).toEqual(then)
    const { app_json: _json, env_vars: _variables, ...scalars } = everything
    for (const [field, value] of Object.entries(scalars)) {
      const changed = typeof value === 'number' ? 1 - value : `${value}-2`
      expect([field, await put(sid, { [field]: changed })]).toEqual([field, done])
      expect(await read(sid)).toEqual({ ...then, [field]: changed })
      expect(await put(sid, { [field]: then[field] })).toEqual(done)
    }
    // Like the console's forms, this sends the hooks as they were read, with one of them changed.
    const changed = { ...Object(row['call_hook']), url: 'https://b.example.org' } as object
    const back = { call_hook: changed, call_status_hook: row['call_status_hook'], account_sid: world.sid.A }
    expect(await put(sid, back)).toEqual(done)
    expect(await read(sid)).toEqual({ ...then, call_hook: changed })

    const sids = ['call_hook', 'call_status_hook', 'messaging_hook'].map((name) => webhookSid(row, name))
    expect((await api.admin.delete(`/Applications/${sid}`)).status).toBe(204)
    for (const signal of [sid, ...sids])
      expect(await countMentions(api, signal)).not.toMatchObject({ webhooks: expect.anything() as unknown })
    expect((await api.admin.get(`/Applications/${sid}`)).status).toBe(404)
    expect((await api.admin.delete(`/Applications/${sid}`)).status).toBe(404)
    expect((await api.admin.put(`/Applications/${sid}`, {})).status).toBe(404)
    for (const call of [api.admin.put, api.admin.delete])
      expect((await call('/Applications/nonsense')).status).toBe(400)
  })

  test('absent fields get the defaults of jambonz', async () => {
    expect(await read(await createAndGetSid())).toMatchObject({
      speech_synthesis_vendor: 'google',
      speech_synthesis_language: 'en-US',
      speech_synthesis_voice: 'en-US-Standard-C',
      speech_synthesis_label: null,
      speech_recognizer_vendor: 'google',
      speech_recognizer_language: 'en-US',
      use_for_fallback_speech: 0,
      fallback_speech_synthesis_vendor: null,
      app_json: null,
      env_vars: null,
      messaging_hook: null,
      record_all_calls: 0,
      call_hook: { url, method: 'POST', username: null, password: null },
    })
  })

  test.each<[string, object, [number, string]]>([
    ['no name', { name: undefined }, [400, 'missing field name']],
    ['a blank name', { name: ' ' }, [400, 'name must not be empty']],
    ['a long name', { name: 'x'.repeat(65) }, [400, 'name must be at most 64 characters long']],
    ['no account', { account_sid: null }, [400, 'missing field account_sid']],
    ['an unknown account', { account_sid: randomUUID() }, [400, 'unknown account_sid']],
    ['no calling webhook', { call_hook: undefined }, [400, 'missing field call_hook']],
    ['no status webhook', { call_status_hook: undefined }, [400, 'missing field call_status_hook']],
    ['a null', { call_hook: null }, [400, "'call_hook' must be an object when adding an application"]],
    ['a text', { call_hook: url }, [400, "'call_hook' must be an object when adding an application"]],
    ['a webhook of nothing', { call_hook: {} }, [400, 'missing field call_hook.url']],
    ['a column', { call_hook: { url, x: 1 } }, [400, 'unknown field x']],
    ['no address', { call_hook: { url: '' } }, [400, 'call_hook URL is invalid']],
    ['half an address', { call_status_hook: { url: 'nonsense' } }, [400, 'call_status_hook URL is invalid']],
    ['blanks', { call_hook: { url: ` ${url}` } }, [400, 'call_hook URL contains leading/trailing whitespace']],
    ['a host', { call_hook: { url: 'http://a_b.x' } }, [400, 'call_hook URL has invalid hostname a_b.x']],
    ['an IPv6 host', { call_hook: { url: 'http://[::1]/' } }, [400, 'call_hook URL has invalid hostname [::1]']],
    ['a scheme', { call_hook: { url: 'ftp://x' } }, [400, 'call_hook URL has missing or invalid protocol ftp:']],
    ['a method', { call_hook: { url, method: 'PUT' } }, [400, 'call_hook.method must be GET or POST']],
    ['a messaging webhook', { messaging_hook: { url: 'x' } }, [400, 'messaging_hook URL is invalid']],
    ['a null vendor', { speech_synthesis_vendor: null }, [400, 'speech_synthesis_vendor must be text']],
    [
      'a long language',
      { speech_synthesis_language: 'x'.repeat(13) },
      [400, 'speech_synthesis_language must be at most 12 characters long'],
    ],
    [
      'a long voice',
      { fallback_speech_synthesis_voice: 'x'.repeat(257) },
      [400, 'fallback_speech_synthesis_voice must be at most 256 characters long'],
    ],
    ['a flag', { record_all_calls: 2 }, [400, 'record_all_calls must be true, false, 0 or 1']],
    ['another’s column', { service_provider_sid: null }, [400, 'unknown field service_provider_sid']],
    ['variables as a list', { env_vars: ['x'] }, [400, 'env_vars must be an object']],
    ['a nested variable', { env_vars: { A: {} } }, [400, 'env_vars.A must be text, a number, true, false or null']],
    ['too much of them', { env_vars: { A: 'x'.repeat(40_000) } }, [400, 'env_vars must be shorter']],
  ])('rejects %s and stores nothing', async (_, more, refused) => {
    const before = await snapshot(api)
    expect(statusAndMessage(await add(more))).toEqual(refused)
    expect(await snapshot(api)).toEqual(before)
  })

  const play = '[{"verb":"play"}]'
  test.each([
    ['{', 'app_json must be JSON: '],
    ['{}', 'Error: malformed jambonz payload: must be array'],
    ['null', 'Error: malformed jambonz payload: must be array'],
    ['[1]', 'Error: malformed jambonz payload: must be array of objects'],
    ['[null]', 'Error: malformed jambonz payload: must be array of objects'],
    ['[{"text":"x","loop":1}]', 'Error: malformed jambonz payload: missing verb property'],
    ['[{"verb":"sing"}]', 'Error: invalid instruction: sing'],
    ['[{"verb":{"a":1}}]', 'Error: invalid instruction: [object Object]'],
    ['[{"verb":"__proto__"}]', 'Error: invalid instruction: __proto__'],
    ['[{"verb":"transfer","mode":"sideways","target":[]}]', 'Error: invalid value sideways must be one of blind,warm'],
    ['[{"verb":"agent","llm":{"model":1}}]', 'Error: agent.llm: property model has invalid data type'],
    ['[{"verb":"dial","target":[],"codecs":[1]}]', 'Error: dial: property codecs has invalid data type'],
    ['[{"verb":"qwen_s2s"}]', 'Error: llm: missing value for llmOptions'],
    ['[{"verb":"pause","length":"1"}]', 'Error: pause: property length has invalid data type'],
    [play, 'Error: play: missing value for url'],
    ['[{"verb":"say","text":"x"},{"dial":{}}]', 'Error: dial: missing value for target'],
    ['[{"verb":"gather","say":{"tune":1,"text":1}}]', 'Error: say: property text has invalid data type'],
    ['['.repeat(60_000), 'app_json must be JSON: '],
    [`[{"verb":"say","text":"${'ü'.repeat(33_000)}"}]`, 'app_json must be at most 65535 bytes long'],
  ])('validates verbs %.40s: %s', async (app_json, refused) => {
    const sid = await createAndGetSid({ app_json: '[]' })
    for (const { status, body } of [await add({ app_json }), await api.admin.put(`/Applications/${sid}`, { app_json })])
      expect([status, body]).toEqual([
        400,
        expect.objectContaining({ msg: expect.stringContaining(refused) as unknown, field: 'app_json' }),
      ])
    expect((await read(sid))['app_json']).toBe('[]')
  })

  test('accepts the verbs and vendors of newer platforms', async () => {
    const handoff = { mode: 'blind', target: [{ type: 'phone', number: '15551234567' }] }
    const app_json = JSON.stringify([
      {
        verb: 'agent',
        llm: { vendor: 'openai', model: 'm' },
        stt: { vendor: 'deepgram' },
        greeting: true,
        toolFiller: false,
      },
      { verb: 'room', name: 'sales' },
      {
        verb: 'transfer',
        mode: 'warm',
        target: [{ type: 'phone', number: '15551234567' }],
        brief: { text: 'A caller' },
      },
      { verb: 'dial', target: [{ type: 'phone', number: '15551234567' }], codecs: ['G722'] },
      { verb: 'conference', name: 'sales', stream: { url: 'wss://a.example' } },
      { verb: 'dialogflow', project: 'p', credentials: '{}', lang: 'en', deployment: 'd' },
      { verb: 'transcribe', enable: false },
      {
        verb: 'gather',
        recognizer: { vendor: 'xai', xaiOptions: { keyterms: ['a'] }, googleOptions: { mode: 'SMART' } },
      },
      { verb: 'alert', message: '180 Ringing' },
      { verb: 'gptlive_s2s', auth: { apiKey: 'k' }, llmOptions: {}, handoff, responseTimeoutMs: 500 },
      { s2s: { vendor: 'qwen', llmOptions: {} } },
    ])
    const sid = await createAndGetSid({ app_json })
    expect((await read(sid))['app_json']).toBe(app_json)
  })

  test('accepts an unknown verb that is stored already, and rejects another one', async () => {
    const sid = await createAndGetSid({ app_json: '[]' })
    const stored = '[{"verb":"sing","song":1}]'
    await api.test.database.db
      .updateTable('applications')
      .set({ app_json: stored })
      .where('application_sid', '=', sid)
      .execute()
    const update = (app_json: string) => api.admin.put(`/Applications/${sid}`, { app_json })
    expect((await update(stored)).status).toBe(204)
    const extended = '[{"verb":"sing","song":2},{"verb":"hangup"}]'
    expect((await update(extended)).status).toBe(204)
    expect(statusAndMessage(await update('[{"verb":"sing"},{"verb":"dance"}]'))).toEqual([
      400,
      'Error: invalid instruction: dance',
    ])
    expect((await read(sid))['app_json']).toBe(extended)
  })

  test('accepts properties that it does not know, as newer platforms do, and saves them again', async () => {
    const app_json = '[{"verb":"say","tune":1,"constructor":1},{"gather":{"say":{"tune":[1]}}}]'
    const sid = await createAndGetSid({ app_json })
    const extended = app_json.replace('1}', '2}')
    for (const text of [app_json, extended])
      expect((await api.admin.put(`/Applications/${sid}`, { app_json: text })).status).toBe(204)
    expect((await read(sid))['app_json']).toBe(extended)
  })

  test('deeply nested verbs never cause a 5xx', async () => {
    const deep = `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`
    const lists = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    const more = [`[{"verb":${lists}}]`, `[{"dial":{"target":[{"type":${lists}}]}}]`]
    for (const app_json of [`[{"verb":"tag","data":${deep}}]`, `[${deep}]`, ...more])
      expect((await add({ app_json })).status).toBeLessThan(500)
  })

  test('accepts verbs as a string in both notations, and null for none', async () => {
    for (const app_json of [[{ verb: 'say', text: 'x' }], {}, 1])
      expect(statusAndMessage(await add({ app_json }))).toEqual([400, 'app_json must be text'])
    for (const app_json of ['[]', '[{"verb":"say","text":"x"}]', '[{"say":{"text":"x"}}]', '[{"verb":"hangup"}]'])
      expect(await read(await createAndGetSid({ app_json }))).toMatchObject({ app_json })
    for (const app_json of ['', null])
      expect(await read(await createAndGetSid({ app_json }))).toMatchObject({ app_json: null })
  })

  test('a duplicate name within an account is rejected with the field name', async () => {
    const taken = [422, 'Duplicate entry: name is already in use in this account']
    const sid = await createAndGetSid({ name: 'Once only' })
    for (const name of ['Once only', 'once ONLY']) expect(statusAndMessage(await add({ name }))).toEqual(taken)
    expect(await put(await createAndGetSid(), { name: 'once only' })).toEqual(taken)
    expect(await put(sid, { name: 'once only' })).toEqual(done)
    expect((await add({ name: 'Once only', account_sid: world.sid.A2 })).status).toBe(201)
  })

  test('has a sid that cannot be chosen or changed', async () => {
    const application_sid = randomUUID()
    const sid = await createAndGetSid({ application_sid })
    expect(sid).not.toBe(application_sid)
    expect(await put(sid, { application_sid, name: 'x' })).toEqual([400, 'primary key application_sid is immutable'])
    for (const unchanged of [sid, null]) expect(await put(sid, { application_sid: unchanged })).toEqual(done)
  })
})

describe('variables', () => {
  const env_vars = {
    API_KEY: 'sk-0123456789',
    GREETING: 'hello',
    PIN_SECRET: 123456789,
    SIP_PASSWORD: 'hunter2-hunter2',
  }

  test('APPS-45 are encrypted with a new nonce each time, complete for callers who may change them, and masked for others', async () => {
    const sids = [await createAndGetSid({ env_vars }), await createAndGetSid({ env_vars })]
    const stored = await Promise.all(sids.map(async (sid) => (await readStored(sid)).env_vars ?? ''))
    expect(stored[0]).not.toBe(stored[1])
    for (const text of stored) {
      expect(text).not.toContain('sk-0123456789')
      expect(api.services.encryption.decrypt(text)).toBe(JSON.stringify(env_vars))
    }
    const path = `/Applications/${sids[0]}`
    for (const name of ['user of A', 'user of P', 'admin'] as const)
      expect(getRow(await (await as(name)).get(path))['env_vars']).toEqual(env_vars)
    for (const name of ['view-only user of A', 'view-only user of P', 'view-only admin'] as const)
      expect(getRow(await (await as(name)).get(path))['env_vars']).toEqual({
        API_KEY: 'sk-012XXXXXXX',
        GREETING: 'hello',
        PIN_SECRET: '123456XXX',
        SIP_PASSWORD: 'XXXXXXXX',
      })
  })

  test('unusual values stored by jambonz never break a list', async () => {
    const odd = { A_SECRET: { toString: 'x', valueOf: 'y' }, TOKEN: ['x'], PASSWORD: null }
    const stored = api.services.encryption.encrypt(JSON.stringify(odd))
    const sid = await insert({ name: randomUUID(), account_sid: world.sid.A, env_vars: stored })
    const viewer = await as('view-only user of A')
    expect(getRow(await viewer.get(`/Applications/${sid}`))['env_vars']).toMatchObject({
      TOKEN: 'XXXXX',
      PASSWORD: null,
    })
    expect((await viewer.get('/Applications')).status).toBe(200)
  })

  test('the audit trail lists changes without secrets, variables, or ciphertext', async () => {
    const call_hook = { url: 'https://name:userinfo@app.example.org', username: 'u', password: 'hook-password' }
    const sid = await createAndGetSid({ env_vars, call_hook, messaging_hook: { url } })
    expect(await put(sid, { env_vars: { ...env_vars, GREETING: 'goodbye' } })).toEqual(done)
    expect(await put(sid, { call_hook: { ...call_hook, password: 'another-password' }, messaging_hook: null })).toEqual(
      done,
    )
    expect((await read(sid))['messaging_hook']).toBeNull()
    expect(await put(sid, { env_vars: { ...env_vars, GREETING: 'goodbye' } })).toEqual(done)
    const stored = (await readStored(sid)).env_vars ?? ''
    expect((await api.admin.delete(`/Applications/${sid}`)).status).toBe(204)

    const entries = await readHistory(sid)
    expect(entries.map(({ action }) => action)).toEqual(['delete', 'update', 'update', 'create'])
    const masked = { API_KEY: '********', GREETING: '********', PIN_SECRET: '********', SIP_PASSWORD: '********' }
    expect(change(entries[3], 'env_vars')).toMatchObject({ before: null, after: masked })
    expect(entries[2]?.['changes']).toEqual([{ field: 'env_vars', before: masked, after: masked }])
    expect(change(entries[1], 'call_hook')).toMatchObject({ after: { password: '********' } })
    expect(change(entries[1], 'messaging_hook')).toMatchObject({ before: { url }, after: null })
    expect(entries[0]).toMatchObject({ account_sid: world.sid.A, service_provider_sid: world.sid.P })
    const auditText = JSON.stringify(entries)
    for (const secret of ['sk-01', 'hello', 'goodbye', '-password', 'userinfo', JSON.parse(stored).content])
      expect(auditText).not.toContain(secret)
  })
})

describe('webhooks', () => {
  test('a hook without a sid replaces the current one, and the sid of another hook is rejected', async () => {
    const sid = await createAndGetSid()
    const row = await read(sid)
    expect(await put(sid, { call_hook: { url: 'https://b.example.org' } })).toEqual(done)
    const now = await read(sid)
    expect([webhookSid(now, 'call_hook'), now['call_hook']]).toEqual([
      webhookSid(row, 'call_hook'),
      expect.objectContaining({ url: 'https://b.example.org', method: 'POST' }),
    ])
    const foreign = await read(world.things.B.application_sid)
    const before = await snapshot(api)
    for (const webhook_sid of [
      webhookSid(foreign, 'call_hook'),
      webhookSid(row, 'call_status_hook'),
      randomUUID(),
      'x',
    ])
      expect(await put(sid, { call_hook: { url, webhook_sid } })).toEqual([400, 'call_hook has another webhook_sid'])
    expect(await put(sid, { call_status_hook: null })).toEqual([
      400,
      "'call_status_hook' must be an object when updating an application",
    ])
    expect(await snapshot(api)).toEqual(before)
    // Creating an application creates new rows, even if the hooks were copied.
    const copy = await read(
      await createAndGetSid({ call_hook: { url, webhook_sid: webhookSid(foreign, 'call_hook') } }),
    )
    expect(webhookSid(copy, 'call_hook')).not.toBe(webhookSid(foreign, 'call_hook'))
    expect(await read(world.things.B.application_sid)).toEqual(foreign)
  })

  test('a shared row remains for the others, and is deleted with the last of them', async () => {
    const { webhook_sid } = await hook()
    const shared = { account_sid: world.sid.A, call_hook_sid: webhook_sid, messaging_hook_sid: webhook_sid }
    const sids = [await insert({ name: randomUUID(), ...shared }), await insert({ name: randomUUID(), ...shared })]
    const [one = '', other = ''] = sids
    expect(await put(one, { call_hook: { url, webhook_sid }, messaging_hook: { url, webhook_sid } })).toEqual(done)
    const row = await read(one)
    expect(new Set([webhook_sid, webhookSid(row, 'call_hook'), webhookSid(row, 'messaging_hook')]).size).toBe(3)
    expect(await read(other)).toMatchObject({ call_hook: { webhook_sid, url: 'wss://app.example.org' } })
    expect((await api.admin.delete(`/Applications/${one}`)).status).toBe(204)
    expect(await countMentions(api, webhook_sid)).toMatchObject({ webhooks: 1 })
    expect(await put(other, { call_hook: { url }, messaging_hook: { url } })).toEqual(done)
    expect(await countMentions(api, webhook_sid)).not.toMatchObject({ webhooks: 1 })
  })
})

describe('the owner of an application', () => {
  test('is the own account for users of an account, regardless of the request', async () => {
    const ofA = await as('user of A')
    for (const account_sid of [world.sid.A2, undefined, null, 'nonsense']) {
      const sid = await createAndGetSid({ account_sid }, ofA)
      expect((await read(sid))['account_sid']).toBe(world.sid.A)
      expect(await put(sid, { account_sid: world.sid.B }, ofA)).toEqual(done)
      expect((await read(sid))['account_sid']).toBe(world.sid.A)
    }
  })

  test.each<[UserName, 'A' | 'B' | undefined, [number, string]]>([
    ['user of P', undefined, [400, "missing required field: 'account_sid'"]],
    ['user of P', 'B', [403, 'insufficient privileges']],
    ['user of Q', 'A', [403, 'insufficient privileges']],
    ['admin', undefined, [400, 'missing field account_sid']],
  ])('%s cannot create one for %s', async (name, account, refused) => {
    const account_sid = account && world.sid[account]
    expect(statusAndMessage(await add({ account_sid }, await as(name)))).toEqual(refused)
  })

  test('can be another account if the caller may write both and nothing refers to the application', async () => {
    const ofP = await as('user of P')
    const sid = await createAndGetSid()
    for (const account_sid of [world.sid.B, randomUUID()])
      expect(await put(sid, { account_sid }, ofP)).toEqual([403, 'insufficient privileges'])
    expect(await put(sid, { account_sid: randomUUID() })).toEqual([400, 'unknown account_sid'])
    for (const account_sid of [null, world.sid.A]) expect(await put(sid, { account_sid }, ofP)).toEqual(done)
    expect(await put(sid, { account_sid: world.sid.A2 }, ofP)).toEqual(done)
    expect((await read(sid))['account_sid']).toBe(world.sid.A2)
    const { phone_number_sid } = world.things.A2
    expect((await api.admin.put(`/PhoneNumbers/${phone_number_sid}`, { application_sid: sid })).status).toBe(204)
    const before = await snapshot(api)
    expect(await put(sid, { account_sid: world.sid.A }, ofP)).toEqual([
      422,
      'cannot move application with phone numbers',
    ])
    expect(await snapshot(api)).toEqual(before)
  })

  test('an account reads, changes and deletes none of another, in its own provider or not', async () => {
    const ofA = await as('user of A')
    const before = await snapshot(api)
    for (const { application_sid } of [world.things.A2, world.things.B, { application_sid: randomUUID() }]) {
      const path = `/Applications/${application_sid}`
      for (const body of [{}, { account_sid: world.sid.A }, { name: 'mine' }])
        expect(await put(application_sid, body, ofA)).toEqual([403, 'insufficient privileges'])
      expect(statusAndMessage(await ofA.delete(path))).toEqual([422, 'insufficient permissions'])
      for (const one of [path, `/patchbay${path.toLowerCase()}/used-by`])
        expect(statusAndMessage(await ofA.get(one))).toEqual([404, 'Not Found'])
    }
    expect(await snapshot(api)).toEqual(before)
  })
})

describe('references to an application', () => {
  const none = { total: 0, first: [] }
  const nothing = {
    phone_numbers: none,
    device_calling_accounts: none,
    siprec_accounts: none,
    ms_teams_tenants: none,
    voip_carriers: none,
    call_routes: none,
  }
  const usedBy = async (sid: string, caller: Caller = api.admin) =>
    getRow(await caller.get(`/patchbay/applications/${sid}/used-by`))
  const route = async (application_sid: string) => {
    const call_route_sid = randomUUID()
    const row = { call_route_sid, account_sid: world.sid.A, priority: 1, regex: '^1', application_sid }
    await api.test.database.db.insertInto('call_routes').values(row).execute()
    return call_route_sid
  }

  test.each<[string, keyof typeof nothing, (sid: string | null) => Promise<unknown>, string]>([
    [
      'phone numbers',
      'phone_numbers',
      (application_sid) => api.admin.put(`/PhoneNumbers/${world.things.A.phone_number_sid}`, { application_sid }),
      'with phone numbers',
    ],
    [
      'an account for device calling',
      'device_calling_accounts',
      (sid) => api.admin.put(`/Accounts/${world.sid.A}`, { device_calling_application_sid: sid }),
      'that an account uses for device calling',
    ],
    [
      'an account for SIPREC',
      'siprec_accounts',
      (sid) => api.admin.put(`/Accounts/${world.sid.A}`, { siprec_hook_sid: sid }),
      'that an account uses for SIPREC',
    ],
    [
      'an MS Teams tenant',
      'ms_teams_tenants',
      (application_sid) =>
        api.admin.put(`/MicrosoftTeamsTenants/${world.things.A.ms_teams_tenant_sid}`, { application_sid }),
      'that a Microsoft Teams tenant uses',
    ],
    [
      'a carrier',
      'voip_carriers',
      (application_sid) => api.admin.put(`/VoipCarriers/${world.things.A.voip_carrier_sid}`, { application_sid }),
      'that a carrier uses',
    ],
    [
      'a call route',
      'call_routes',
      (sid) => (sid === null ? api.test.database.db.deleteFrom('call_routes').execute() : route(sid)),
      'that a call route uses',
    ],
  ])('API-035 %s: the reference is named, and the application cannot be deleted', async (_, kind, use, reason) => {
    const sid = await createAndGetSid()
    expect(await usedBy(sid)).toEqual(nothing)
    await use(sid)
    const references = await usedBy(sid)
    const first = [{ sid: expect.any(String) as unknown, name: expect.stringMatching(/./) as unknown }]
    expect(references).toEqual({ ...nothing, [kind]: { total: 1, first } })
    for (const name of ['user of A', 'user of P', 'view-only user of A'] as const)
      expect(await usedBy(sid, await as(name))).toEqual(references)
    const callers = [api.admin, await as('user of P'), await as('user of A')]
    const before = await snapshot(api)
    for (const caller of callers)
      expect(statusAndMessage(await caller.delete(`/Applications/${sid}`))).toEqual([
        422,
        `cannot delete application ${reason}`,
      ])
    expect(await snapshot(api)).toEqual(before)
    await use(null)
    expect((await api.admin.delete(`/Applications/${sid}`)).status).toBe(204)
  })

  test('the first ten are named in order, and references from other tenants are only counted', async () => {
    const sid = await createAndGetSid()
    const numbers = Array.from({ length: 12 }, (_, nth) => `1508000${String(nth).padStart(4, '0')}`)
    for (const number of numbers.toReversed())
      await api.admin.post('/PhoneNumbers', { number, account_sid: world.sid.A, application_sid: sid })
    const set = (application_sid: string | null) =>
      api.test.database.db
        .updateTable('phone_numbers')
        .set({ application_sid })
        .where('phone_number_sid', '=', world.things.B.phone_number_sid)
        .execute()
    await set(sid)
    for (const name of ['user of A', 'user of P'] as const) {
      const references = (await usedBy(sid, await as(name)))['phone_numbers'] as { total: number; first: Row[] }
      expect([references.total, references.first.map((row) => row['name'])]).toEqual([13, numbers.slice(0, 10)])
    }
    await set(null)
  })
})

describe('concurrent changes', () => {
  test('three hundred concurrent requests of an account create no more than its limit of fifty, and its provider is not limited', async () => {
    const limited = await createTestApi({ APPLY_JAMBONZ_DB_LIMITS: '1' })
    try {
      const of = await createWorld(limited)
      const ofA = await signedIn(limited, of.users['user of A'])
      const body = () => ({ name: randomUUID(), account_sid: of.sid.A, ...hooks })
      const count = async () => getRows(await ofA.get('/Applications')).length
      const answers = await Promise.all(Array.from({ length: 300 }, () => ofA.post('/Applications', body())))
      noneFailed(answers)
      // Each account may have a hundred writes in progress. Excess requests are rejected before the limit is checked.
      expect(answers.filter(({ status }) => status === 201)).toHaveLength(49)
      expect(answers.filter(({ status }) => status === 422).length).toBeGreaterThanOrEqual(51)
      expect(await count()).toBe(50)
      expect(await ofA.post('/Applications', body())).toMatchObject({
        status: 422,
        body: { status: 'fail', message: 'exceeded limits - you have created 50 instances of this resource' },
      })
      const ofP = await signedIn(limited, of.users['user of P'])
      expect((await ofP.post('/Applications', body())).status).toBe(201)
    } finally {
      await limited.close()
    }
  })

  test('twenty concurrent requests with the same name create one application, and the others get an error', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => add({ name: 'same name' })))
    expect(getStatuses(answers)).toEqual(['201', ...Array.from({ length: 19 }, () => '422')])
  })

  test('concurrent writers leave complete hooks and no unused webhook rows', async () => {
    const sid = await createAndGetSid()
    const bodies = Array.from({ length: 20 }, (_, nth) => {
      const both = { url: `https://${nth}.hooks.example.org`, method: nth % 2 ? 'GET' : 'POST' }
      return { call_hook: both, call_status_hook: both, messaging_hook: both, env_vars: { NTH: nth } }
    })
    const answers = await Promise.all(bodies.map((body) => api.admin.put(`/Applications/${sid}`, body)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
    const row = await read(sid)
    const nth = Number(Reflect.get(Object(row['env_vars']), 'NTH'))
    expect(row).toMatchObject(bodies[nth] ?? {})
    const remaining = await api.test.database.db
      .selectFrom('webhooks')
      .select('url')
      .where('url', 'like', '%.hooks.example.org')
      .execute()
    expect(remaining).toHaveLength(3)
  })

  test('deleting, moving, and assigning an application concurrently never creates a reference from another tenant', async () => {
    const { A, A2, P: service_provider_sid } = world.sid
    const { phone_number_sid, voip_carrier_sid: carrier } = world.things.A
    const ofP = await as('user of P')
    const numberPath = `/PhoneNumbers/${phone_number_sid}`
    const leads: ((sid: string, turn: number) => Promise<Answer>)[] = [
      (application_sid) => ofP.put(numberPath, { application_sid }),
      (application_sid) =>
        ofP.post('/patchbay/phone-numbers/routing', { application_sid, phone_number_sids: [phone_number_sid] }),
      (application, turn) =>
        ofP.post('/patchbay/phone-numbers/import', {
          service_provider_sid,
          dry_run: false,
          rows: [{ number: `1508111${turn}`, carrier, account: A, application }],
        }),
      (device_calling_application_sid) => ofP.put(`/Accounts/${A}`, { device_calling_application_sid }),
    ]
    for (let turn = 0; turn < 16; turn += 1) {
      const sid = await createAndGetSid()
      const moves = () => ofP.put(`/Applications/${sid}`, { account_sid: A2 })
      const operations = [moves, () => leads[turn % 4]?.(sid, turn) ?? ofP.get(numberPath)]
      if (turn > 11) operations.push(() => ofP.delete(`/Applications/${sid}`))
      noneFailed(await Promise.all((turn % 8 < 4 ? operations : operations.toReversed()).map((act) => act())))
      expect((await acrossWalls()).rows).toEqual([])
      await ofP.put(numberPath, { application_sid: null })
      await ofP.put(`/Accounts/${A}`, { device_calling_application_sid: null })
    }
  })
})

/** Finds numbers that refer to an unknown application or to one of another account. */
const acrossWalls = () =>
  sql`select n.account_sid from phone_numbers n join applications p on p.application_sid = n.application_sid
    where p.account_sid <> n.account_sid
    union all select a.account_sid from accounts a
    join applications p on p.application_sid = a.device_calling_application_sid where p.account_sid <> a.account_sid`.execute(
    api.test.database.db,
  )
