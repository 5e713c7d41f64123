import { randomUUID } from 'node:crypto'
import type { FoundPage, TranscriptAccess } from '@patchbay/contract/conversation-search'
import type { Conversation } from '@patchbay/contract/conversations'
import { enqueueConversations } from '@patchbay/server/call-data/conversations/conversation-queue'
import { scannedTranscripts } from '@patchbay/server/call-data/conversations/mysql-transcript-index'
import { transcriptIndexTable } from '@patchbay/server/call-data/conversations/transcript-index-table'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { createRandom } from '@patchbay/server/demo/seeded-random'
import { createConversationJob } from '@patchbay/server/jobs/compute-conversations'
import { createTranscriptJob } from '@patchbay/server/jobs/maintain-transcripts'
import { exportCall } from '@patchbay/testkit/calls/traced-call'
import { isClickHouse } from '@patchbay/testkit/servers/clickhouse/clickhouse-test-database'
import type { Caller } from '@patchbay/testkit/test-api'
import { isMysql } from '@patchbay/testkit/test-database'
import { openTestApi } from '@patchbay/testkit/test-world'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { callRecord, getRow, statusAndMessage } from './fixtures.ts'
import { openTraceIntake } from './trace-intake.ts'
import { at, createOwner, find, type Owner, say, search, toPath } from './transcript-support.ts'

/** Search in what was said in calls, from the transcript to the API response. */

const api = await openTestApi()
const { database } = api.test
const intake = openTraceIntake(api)
const url = await intake.listen({ host: '127.0.0.1', port: 0 })

const minute = 60_000

const setAccess = async ({ account_sid }: Owner, access: TranscriptAccess, caller: Caller = api.admin) => {
  const answer = await caller.put(`/patchbay/Accounts/${account_sid}/TranscriptSettings`, { access })
  expect(answer.status).toBe(204)
}

const countInDatabase = async (): Promise<number> => {
  const { rows } = await sql<{ count: number }>`SELECT COUNT(*) AS count FROM ${sql.raw(transcriptIndexTable)}`.execute(
    database.db,
  )
  return Number(rows[0]?.count)
}

/** Returns the number of transcripts in the index of ClickHouse, after all that is due has been added and removed. */
const countInClickHouse = async (): Promise<number> => {
  await createTranscriptJob(api.services, () => Date.now() + 60 * minute)()
  const rows = await api.clickHouse?.query<{ count: string }>(
    'SELECT count() AS count FROM transcript_tokens FINAL',
    {},
  )
  return Number(rows?.[0]?.count)
}

const countRows = async (): Promise<{ transcripts: number; indexed: number }> => {
  const indexed = await (isClickHouse ? countInClickHouse() : countInDatabase())
  const stored = await database.db.selectFrom('patchbay_transcripts').select('transcript_id').execute()
  return { transcripts: stored.length, indexed }
}

describe('a search in what was said', () => {
  test('returns the calls with the words, newest first, and marks where they were said', async () => {
    const owner = await createOwner(api)
    const older = await say(api, owner, ['I want a REFUND, please.', 'A refund takes five days.'])
    const newer = await say(api, owner, ['Hello.', 'How can I help?', 'Is the refund on its way?'], { at: at + minute })
    await say(api, owner, ['Goodbye.'])
    const { data, has_more, page, page_size } = await search(api, `Accounts/${owner.account_sid}`, 'refund')
    expect([page, page_size, has_more]).toEqual(['1', '25', false])
    expect(data).toEqual([
      {
        account_sid: owner.account_sid,
        call_sid: newer,
        application_sid: null,
        attempted_at: '2026-11-02T10:01:00.000Z',
        direction: 'inbound',
        from: '15083728299',
        to: '15083084809',
        duration: 60,
        turn_count: 1,
        turns: [{ speaker: 'caller', start_ms: 20_000, text: 'Is the refund on its way?', matches: [[7, 13]] }],
      },
      expect.objectContaining({
        call_sid: older,
        turn_count: 2,
        turns: [
          { speaker: 'caller', start_ms: 0, text: 'I want a REFUND, please.', matches: [[9, 15]] },
          { speaker: 'agent', start_ms: 10_000, text: 'A refund takes five days.', matches: [[2, 8]] },
        ],
      }),
    ])
  })

  test.each([
    ['stop words', 'to be or not to be', true],
    ['single letters', 'a', true],
    ['a phrase of stop words', '"to be or not"', true],
    ['a phrase in another order', '"be to or not"', false],
    ['a phrase across two turns', '"to be nothing"', false],
    ['words of different turns', 'nothing question', true],
    ['accents and case', 'CAFE creme', true],
    ['a contraction', "don't", true],
    ['a contraction with a typographic apostrophe', 'don’t', true],
    ['a part of a word', 'quest', false],
    ['a number', '4711', true],
    ['Chinese characters within a text', '退款', true],
    ['Chinese characters in another order', '款退', false],
    ['Russian in another case', 'ДЕНЬГИ', true],
    ['a word that must not be said', 'question -nothing', false],
    ['a word that was not said, excluded', 'question -refund', true],
    ['a phrase that must not be said', 'question -"not to be"', false],
  ])('understands %s: %s', async (_, q, isFound) => {
    const owner = await createOwner(api)
    const spoken = [
      'To be, or not to be',
      "Nothing. I don't know, a café crème?",
      'question 4711',
      '我要退款 now Деньги',
    ]
    const call_sid = await say(api, owner, spoken)
    expect(await find(api, owner, q)).toEqual(isFound ? [call_sid] : [])
  })

  test('can be limited to a side, an application, and a period', async () => {
    const owner = await createOwner(api)
    const application_sid = randomUUID()
    const first = await say(api, owner, ['apple', 'banana'], { application_sid })
    const second = await say(api, owner, ['banana', 'apple'], { at: at + 60 * minute })
    expect(await find(api, owner, 'apple', '&speaker=caller')).toEqual([first])
    expect(await find(api, owner, 'apple', '&speaker=agent')).toEqual([second])
    expect(await find(api, owner, 'apple -banana', '&speaker=agent')).toEqual([second])
    expect(await find(api, owner, 'apple', `&application_sid=${application_sid}`)).toEqual([first])
    expect(await find(api, owner, 'apple', `&application_sid=${randomUUID()}`)).toEqual([])
    expect(await find(api, owner, 'apple', '&start=2026-11-02T10:30:00Z')).toEqual([second])
    expect(await find(api, owner, 'apple', '&end=2026-11-02T10:30:00Z')).toEqual([first])
    expect(await find(api, owner, 'apple', '&start=2026-11-02T10:00:00Z&end=2026-11-02T10:00:00Z')).toEqual([first])
    const [turn] = (await search(api, `Accounts/${owner.account_sid}`, 'apple', '&speaker=agent')).data[0]?.turns ?? []
    expect(turn).toMatchObject({ speaker: 'agent', start_ms: 10_000 })
  })

  test('has pages, and calls of the same millisecond are on one of them', async () => {
    const owner = await createOwner(api)
    const calls = new Set<string>()
    for (let call = 0; call < 7; call += 1) calls.add(await say(api, owner, ['hello']))
    const found: string[] = []
    // ClickHouse gets the words from a job.
    await createTranscriptJob(api.services)()
    for (const [page, hasMore] of [
      [1, true],
      [2, true],
      [3, false],
    ] as const) {
      const answer = await api.admin.get(
        `/patchbay/Accounts/${owner.account_sid}/ConversationSearch?q=hello&page=${page}&count=3`,
      )
      const { data, has_more } = getRow(answer) as unknown as FoundPage
      expect(has_more).toBe(hasMore)
      found.push(...data.map(({ call_sid }) => call_sid))
    }
    expect([found.length, new Set(found)]).toEqual([7, calls])
  })

  test('returns excerpts of long turns, and the first turns of many', async () => {
    const owner = await createOwner(api)
    const long = `${'before '.repeat(100)}needle ${'after '.repeat(100)}`
    await say(api, owner, [long, ...Array.from({ length: 20 }, () => 'a needle')])
    const [call] = (await search(api, `Accounts/${owner.account_sid}`, 'needle')).data
    expect([call?.turn_count, call?.turns.length]).toEqual([21, 5])
    const [turn] = call?.turns ?? []
    const [[start, end] = [0, 0]] = turn?.matches ?? []
    expect(turn?.text.slice(start, end)).toBe('needle')
    expect(turn?.text.length).toBeLessThan(260)
    expect(turn?.text).toMatch(/^… before .* after …$/)
  })

  test.each([
    ['q=&page=1&count=25', 'q must contain a word to search for.'],
    ['q=-refund&page=1&count=25', 'q must contain a word to search for.'],
    ['q=%22refund&page=1&count=25', 'q must contain two quotation marks for each phrase'],
    [`q=${'a+'.repeat(21)}&page=1&count=25`, 'q must contain 20 words at most'],
    [`q=${'a'.repeat(201)}&page=1&count=25`, '"q" has 200 characters at most'],
    ['page=1&count=25', 'missing field q'],
    ['q=a&page=41&count=25', 'a search returns the newest 1000 calls at most'],
    ['q=a&page=1', 'missing or invalid "count" query arg'],
    ['q=a&page=1&count=25&speaker=both', 'invalid "speaker" query arg'],
    ['q=a&page=1&count=25&application_sid=x', 'must be a sid'],
    ['q=a&page=1&count=25&days=x', 'invalid "days" query arg'],
  ])('rejects %s', async (query, message) => {
    const { account_sid } = await createOwner(api)
    const answer = await api.admin.get(`/patchbay/Accounts/${account_sid}/ConversationSearch?${query}`)
    const [status, text] = statusAndMessage(answer)
    expect([status, String(text)]).toEqual([400, expect.stringContaining(message)])
  })

  test('responds with 200 or 400 to random and hostile queries', async () => {
    const owner = await createOwner(api)
    await say(api, owner, ['NEAR AND OR NOT words MATCH drop table'])
    const random = createRandom(34)
    const pieces = [
      ...'"\'-+*()<>~@:^{}[]%_\\;,.|&#\0\n '.split(''),
      'a',
      'NOT',
      'OR',
      'NEAR(',
      'words:',
      '--',
      '/*',
      '💥',
      '退',
      'é',
      ' ',
    ]
    for (let query = 0; query < 300; query += 1) {
      const q = Array.from({ length: 1 + random.below(30) }, () => pieces[random.below(pieces.length)]).join('')
      const answer = await api.admin.get(toPath(`Accounts/${owner.account_sid}`, q))
      expect([q, [200, 400].includes(answer.status)]).toEqual([q, true])
    }
    expect(await find(api, owner, 'drop table NEAR')).toHaveLength(1)
  })
})

describe('transcripts', () => {
  test('are found by their own account and provider only', async () => {
    const [owner, other] = [await createOwner(api), await createOwner(api)]
    const neighbor = await createOwner(api, owner.service_provider_sid)
    const word = `w${randomUUID().slice(0, 8)}`
    const [first, second] = [await say(api, owner, [word]), await say(api, neighbor, [word], { at: at + minute })]
    await say(api, other, [word])
    expect(await find(api, owner, word)).toEqual([first])
    const found = await search(api, `ServiceProviders/${owner.service_provider_sid}`, word)
    expect(found.data.map(({ call_sid }) => call_sid)).toEqual([second, first])
    const { caller } = await api.user({ account_sid: owner.account_sid })
    for (const [path, status] of [
      [`Accounts/${owner.account_sid}`, 200],
      [`Accounts/${neighbor.account_sid}`, 403],
      [`Accounts/${other.account_sid}`, 403],
      [`ServiceProviders/${owner.service_provider_sid}`, 403],
    ] as const)
      expect([path, (await caller.get(toPath(path, word))).status]).toEqual([path, status])
  })

  test('are stored when the conversation of a call is computed, and replaced when it is computed again', async () => {
    const owner = await createOwner(api)
    const { account_sid, service_provider_sid } = owner
    const call_sid = randomUUID()
    const trace_id = await exportCall({ url, account_sid, call_sid, at, seconds: 60 })
    const record = callRecord(account_sid, { service_provider_sid, call_sid, trace_id, time: BigInt(at) * 1_000_000n })
    await api.sinks.calls.store([record])
    const failures: unknown[] = []
    const compute = async () => {
      await enqueueConversations(database, [{ account_sid, call_sid }], Date.now())
      const onBackgroundError = (error: unknown) => failures.push(error)
      await createConversationJob({
        database,
        sources: api.services,
        onBackgroundError,
        now: () => Date.now() + minute,
      })()
    }
    await compute()
    const path = `/patchbay/accounts/${account_sid}/calls/${call_sid}/conversation`
    const { turns } = getRow(await api.admin.get(path)) as unknown as Conversation
    const spoken = turns.find(({ text }) => text.split(' ').length > 3)
    const [found] = (await search(api, `Accounts/${account_sid}`, `"${spoken?.text}"`.replaceAll("'", '’'))).data
    expect(found?.turns[0]).toMatchObject({ text: spoken?.text, start_ms: spoken?.start_ms, speaker: spoken?.speaker })
    const before = await countRows()
    await compute()
    expect(await countRows()).toEqual(before)
    expect(await find(api, owner, `"${spoken?.text}"`)).toEqual([call_sid])
    await say(api, owner, ['something else'], { call_sid })
    expect(await find(api, owner, `"${spoken?.text}"`)).toEqual([])
    expect(await find(api, owner, 'something')).toEqual([call_sid])
    expect(failures).toEqual([])
  })

  test('of one call are stored once if several processes compute it concurrently', async () => {
    const owner = await createOwner(api)
    const call_sid = randomUUID()
    await Promise.all(Array.from({ length: 8 }, () => say(api, owner, ['concurrent'], { call_sid })))
    expect(await find(api, owner, 'concurrent')).toEqual([call_sid])
  })

  test('without text are not stored, and replace earlier ones', async () => {
    const owner = await createOwner(api)
    const call_sid = await say(api, owner, ['spoken'])
    const before = await countRows()
    await say(api, owner, [''], { call_sid })
    expect(await countRows()).toEqual({ transcripts: before.transcripts - 1, indexed: before.indexed - 1 })
  })

  test('are deleted with other call data, with their words', async () => {
    const owner = await createOwner(api)
    const early = Date.parse('2020-01-01T00:00:00Z')
    await say(api, owner, ['expired'], { at: early })
    const remaining = await say(api, owner, ['expired'], { at: early + minute })
    const before = await countRows()
    await removeBefore(database, 'calls', early + 1)
    expect(await find(api, owner, 'expired')).toEqual([remaining])
    // ClickHouse deletes the words itself.
    const indexed = before.indexed - (isClickHouse ? 0 : 1)
    expect(await countRows()).toEqual({ transcripts: before.transcripts - 1, indexed })
  })

  test('of a deleted account are deleted', async () => {
    const owner = await createOwner(api)
    await say(api, owner, ['deleted'])
    const before = await countRows()
    expect((await api.admin.delete(`/Accounts/${owner.account_sid}`)).status).toBe(204)
    expect(await countRows()).toEqual({ transcripts: before.transcripts - 1, indexed: before.indexed - 1 })
    await say(api, owner, ['deleted'])
    const found = await search(api, `ServiceProviders/${owner.service_provider_sid}`, 'deleted')
    expect(found.data).toEqual([])
  })

  test.skipIf(isClickHouse)('that are not in the index are added to it', async () => {
    const owner = await createOwner(api)
    const call_sid = await say(api, owner, ['restored'])
    await sql`DELETE FROM ${sql.raw(transcriptIndexTable)}`.execute(database.db)
    await database.db.updateTable('patchbay_transcripts').set({ index_version: 0 }).execute()
    expect(await find(api, owner, 'restored')).toEqual([])
    await createTranscriptJob(api.services)()
    expect(await find(api, owner, 'restored')).toEqual([call_sid])
    const { transcripts, indexed } = await countRows()
    expect(indexed).toBe(transcripts)
  })
})

describe('the search in the transcripts of an account', () => {
  test('is allowed to users who can make changes, to everyone, or to nobody', async () => {
    const owner = await createOwner(api)
    const { account_sid, service_provider_sid } = owner
    await say(api, owner, ['hello'])
    const { caller: editor } = await api.user({ account_sid })
    const { caller: viewer } = await api.user({ account_sid, is_view_only: true })
    const { caller: operator } = await api.user({ service_provider_sid })
    const { caller: observer } = await api.user({ service_provider_sid, is_view_only: true })
    const path = toPath(`Accounts/${account_sid}`, 'hello')
    const providerPath = toPath(`ServiceProviders/${service_provider_sid}`, 'hello')
    const readStatus = (requested: string) =>
      Promise.all([api.admin, operator, observer, editor, viewer].map(async (by) => (await by.get(requested)).status))
    expect(await readStatus(path)).toEqual([200, 200, 403, 200, 403])
    expect(await readStatus(providerPath)).toEqual([200, 200, 403, 403, 403])
    expect(statusAndMessage(await viewer.get(path))[1]).toContain('View-only users cannot search')
    await setAccess(owner, 'everyone', editor)
    expect(await readStatus(path)).toEqual([200, 200, 200, 200, 200])
    expect(await readStatus(providerPath)).toEqual([200, 200, 403, 403, 403])
    await setAccess(owner, 'off', editor)
    expect(await readStatus(path)).toEqual([403, 403, 403, 403, 403])
    expect(statusAndMessage(await editor.get(path))[1]).toContain('Search in transcripts is off')
    expect(await readStatus(providerPath)).toEqual([200, 200, 403, 403, 403])
  })

  test('can be changed by users of the account and its operators, and is part of the audit trail', async () => {
    const owner = await createOwner(api)
    const { account_sid } = owner
    const path = `/patchbay/Accounts/${account_sid}/TranscriptSettings`
    expect(getRow(await api.admin.get(path))).toEqual({ access: 'editors' })
    const { caller: viewer } = await api.user({ account_sid, is_view_only: true })
    const { caller: foreigner } = await api.user({ account_sid: (await createOwner(api)).account_sid })
    for (const caller of [viewer, foreigner]) expect((await caller.put(path, { access: 'off' })).status).toBe(403)
    expect((await api.admin.put(path, { access: 'all' })).status).toBe(400)
    expect((await api.admin.put(path, {})).status).toBe(400)
    await setAccess(owner, 'everyone')
    expect(getRow(await viewer.get(path))).toEqual({ access: 'everyone' })
    const trail = getRow(await api.admin.get(`/patchbay/audit-trail?page=1&count=25&sid=${account_sid}&action=update`))
    expect(trail['data']).toMatchObject([
      { action: 'update', changes: [{ field: 'transcript_search', before: 'editors', after: 'everyone' }] },
    ])
  })

  test('deletes the text when it is turned off, and keeps none until it is turned on', async () => {
    const owner = await createOwner(api)
    const other = await createOwner(api, owner.service_provider_sid)
    const word = `w${randomUUID().slice(0, 8)}`
    await say(api, owner, [word])
    const remaining = await say(api, other, [word])
    const before = await countRows()
    await setAccess(owner, 'off')
    expect(await countRows()).toEqual({ transcripts: before.transcripts - 1, indexed: before.indexed - 1 })
    await say(api, owner, [word])
    const inProvider = async () =>
      (await search(api, `ServiceProviders/${owner.service_provider_sid}`, word)).data.map(({ call_sid }) => call_sid)
    expect(await inProvider()).toEqual([remaining])
    await setAccess(owner, 'editors')
    expect(await find(api, owner, word)).toEqual([])
    const later = await say(api, owner, [word], { at: at + minute })
    expect(await find(api, owner, word)).toEqual([later])
    expect(await inProvider()).toEqual([later, remaining])
  })

  test('hides more transcripts than a request deletes, and deletes them in the background', async () => {
    const owner = await createOwner(api)
    for (let call = 0; call < 520; call += 1) await say(api, owner, ['many'])
    await setAccess(owner, 'off')
    await setAccess(owner, 'editors')
    const count = async () =>
      (
        await database.db
          .selectFrom('patchbay_transcripts')
          .select('transcript_id')
          .where('account_sid', '=', owner.account_sid)
          .execute()
      ).length
    expect([await count(), await find(api, owner, 'many')]).toEqual([20, []])
    await createTranscriptJob(api.services)()
    expect(await count()).toBe(0)
  })
})

test('rare words among many transcripts are found with the index', async () => {
  const owner = await createOwner(api)
  const rare = await say(api, owner, ['the rare needle of a', 'common'], { at: at - minute })
  const common: string[] = []
  // Only MySQL scans transcripts, up to this number.
  const count = isMysql ? scannedTranscripts + 20 : 100
  for (let call = 0; call < count; call += 1)
    common.push(await say(api, owner, ['the common thing', 'rare'], { at: at + call }))
  for (const q of ['needle', 'of', 'a', '"of a"']) expect([q, await find(api, owner, q)]).toEqual([q, [rare]])
  expect(await find(api, owner, '"rare needle" common')).toEqual([rare])
  expect(await find(api, owner, 'rare -thing')).toEqual([rare])
  expect(await find(api, owner, 'needle', '&speaker=agent')).toEqual([])
  expect(await find(api, owner, 'needle', '&start=2026-11-02T10:00:00Z')).toEqual([])
  expect(await find(api, owner, 'thing')).toEqual(common.toReversed().slice(0, 25))
})
