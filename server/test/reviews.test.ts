import { randomUUID } from 'node:crypto'
import type { CallReviews, ReviewList } from '@patchbay/contract/reviews'
import { toBucket } from '@patchbay/rules/conversations/duration-buckets'
import type { Contribution } from '@patchbay/rules/conversations/summarize'
import { storeConversations } from '@patchbay/server/call-data/conversations/store-conversation'
import { removeBefore } from '@patchbay/server/call-data/retention'
import { selectForReview } from '@patchbay/server/call-data/reviews/review-items'
import type { Caller } from '@patchbay/testkit/test-api'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { callRecord, claimConversation, getRow, type Row, sorted, statusAndMessage } from './fixtures.ts'

/** Reviews of calls: which calls are to be reviewed, reviews by users and API keys, assignments, and exports. */

const api = await openTestApi()
const { database } = api.test

const start = Date.parse('2026-11-20T10:00:00Z')
const minute = 60_000
const period = 'from=2026-11-01&until=2026-11-30'

interface Owner {
  account_sid: string
  service_provider_sid: string
}

const createOwner = async (service_provider_sid?: string): Promise<Owner> => {
  const provider = service_provider_sid ?? (await api.provider())
  return { service_provider_sid: provider, account_sid: await api.account(provider) }
}

interface ConversationFacts {
  call_sid?: string
  at?: number
  gap?: number
  amounts?: Readonly<Record<string, number>>
}

/** Stores a call with its computed conversation. Returns the SID of the call. */
const converse = async (
  { account_sid, service_provider_sid }: Owner,
  { call_sid = randomUUID(), at = start, gap = 500, amounts = {} }: ConversationFacts = {},
): Promise<string> => {
  const all = { dimension: 'all', value: '' } as const
  const contributions = [
    ...Object.entries({ conversations: 1, agent_turns: 1, ...amounts }).map(([measure, amount]) => ({
      ...all,
      measure,
      bucket: 0,
      amount,
    })),
    { ...all, measure: 'gap', bucket: toBucket(gap), amount: 1 },
  ] as Contribution[]
  await api.sinks.calls.store([
    callRecord(account_sid, { service_provider_sid, call_sid, time: BigInt(at) * 1_000_000n }),
  ])
  const times = { started_at: at, ended_at: at }
  const claimed = claimConversation({ account_sid, service_provider_sid, call_sid, ...times, contributions })
  await storeConversations(database, [claimed], {
    computed_at: at,
    onStored: (trx, stored, sums) => selectForReview(trx, database.engine, stored, sums, at),
  })
  return call_sid
}

/** Turns off the random selection, so that a test does not depend on the SIDs of its calls. */
const withoutRandom = async (owner: Owner): Promise<Owner> => {
  await api.admin.put(`/patchbay/ServiceProviders/${owner.service_provider_sid}/ReviewSettings`, { random_percent: 0 })
  return owner
}

const callPath = ({ account_sid }: Pick<Owner, 'account_sid'>, call_sid: string) =>
  `/patchbay/accounts/${account_sid}/calls/${call_sid}`

const readReviews = async (owner: Owner, call_sid: string, caller: Caller = api.admin) =>
  getRow(await caller.get(`${callPath(owner, call_sid)}/reviews`)) as unknown as CallReviews

const saveReview = async (owner: Owner, call_sid: string, body: object, caller: Caller = api.admin) => {
  const answer = await caller.put(`${callPath(owner, call_sid)}/reviews/own`, body)
  expect(statusAndMessage(answer)).toEqual([204, undefined])
}

const list = async ({ account_sid }: Pick<Owner, 'account_sid'>, more = '', caller: Caller = api.admin) =>
  getRow(await caller.get(`/patchbay/accounts/${account_sid}/reviews?${period}${more}`)) as unknown as ReviewList

const listSids = async (owner: Owner, more = '', caller: Caller = api.admin) =>
  (await list(owner, more, caller)).calls.map(({ call_sid }) => call_sid)

describe('calls to review', () => {
  test('are the slow, interrupted, and failed ones, newest first', async () => {
    const owner = await withoutRandom(await createOwner())
    await converse(owner)
    const slow = await converse(owner, { gap: 4000 })
    const interrupted = await converse(owner, { at: start + minute, amounts: { agent_interruptions: 1 } })
    const failed = await converse(owner, { at: start + 2 * minute, gap: 4000, amounts: { errors: 2 } })
    const { calls, next } = await list(owner)
    expect(calls.map(({ call_sid, reasons, state }) => ({ call_sid, reasons, state }))).toEqual([
      { call_sid: failed, reasons: ['slow', 'failed'], state: 'to_review' },
      { call_sid: interrupted, reasons: ['interrupted'], state: 'to_review' },
      { call_sid: slow, reasons: ['slow'], state: 'to_review' },
    ])
    expect(next).toBeNull()
    expect(await listSids(owner, '&reason=slow')).toEqual([failed, slow])
    expect(await listSids(owner, '&reason=random')).toEqual([])
  })

  test('are a random share of all calls, the same ones if they are computed again', async () => {
    const owner = await createOwner()
    await api.admin.put(`/patchbay/ServiceProviders/${owner.service_provider_sid}/ReviewSettings`, {
      random_percent: 30,
    })
    // 60 calls are expected. Both limits are five standard deviations away, or more.
    const calls = await Promise.all(Array.from({ length: 200 }, () => converse(owner)))
    const selected = sorted(await listSids(owner, '&count=100'))
    expect(selected.length).toBeGreaterThan(27)
    expect(selected.length).toBeLessThan(100)
    for (const call_sid of calls) await converse(owner, { call_sid })
    expect(sorted(await listSids(owner, '&count=100'))).toEqual(selected)
  })

  test('leave the list when later data shows that no rule selects them, unless a user is assigned', async () => {
    const owner = await withoutRandom(await createOwner())
    const { sid: user_sid } = await api.user({ account_sid: owner.account_sid })
    const [corrected, assigned] = [await converse(owner, { gap: 4000 }), await converse(owner, { gap: 4000 })]
    await api.admin.put(`${callPath(owner, assigned)}/assignee`, { user_sid })
    for (const call_sid of [corrected, assigned]) await converse(owner, { call_sid })
    expect(await listSids(owner)).toEqual([assigned])
  })

  test('follow the rules of their provider', async () => {
    const owner = await withoutRandom(await createOwner())
    const path = `/patchbay/ServiceProviders/${owner.service_provider_sid}/ReviewSettings`
    await api.admin.put(path, { slow_ms: null, interrupted: false, failed: true })
    await converse(owner, { gap: 9000, amounts: { caller_interruptions: 3 } })
    const failed = await converse(owner, { amounts: { errors: 1 } })
    expect(await listSids(owner)).toEqual([failed])
    await api.admin.put(path, { slow_ms: 8000 })
    const slow = await converse(owner, { gap: 9000, at: start + minute })
    expect(await listSids(owner)).toEqual([slow, failed])
  })

  test('are paged with a cursor, also if they began in the same millisecond', async () => {
    const owner = await withoutRandom(await createOwner())
    const calls = await Promise.all(Array.from({ length: 23 }, () => converse(owner, { gap: 4000 })))
    const listed: string[] = []
    for (let after = ''; ; ) {
      const page = await list(owner, `&count=10${after}`)
      listed.push(...page.calls.map(({ call_sid }) => call_sid))
      if (page.next === null) break
      after = `&after=${page.next}`
    }
    expect(sorted(listed)).toEqual(sorted(calls))
  })

  test('are deleted with the calls', async () => {
    const owner = await withoutRandom(await createOwner())
    const call_sid = await converse(owner, { gap: 4000 })
    await saveReview(owner, call_sid, { score: 1 })
    await removeBefore(database, 'calls', start + minute)
    for (const table of ['patchbay_review_items', 'patchbay_reviews'] as const) {
      const rows = await database.db.selectFrom(table).select('call_sid').where('call_sid', '=', call_sid).execute()
      expect([table, rows]).toEqual([table, []])
    }
  })
})

describe('a review', () => {
  test('has a score, criteria, labels, and a note, and can be replaced and deleted', async () => {
    const owner = await withoutRandom(await createOwner())
    const { caller, sid, name } = await api.user({ account_sid: owner.account_sid })
    const call_sid = await converse(owner, { gap: 4000 })
    const first = { score: 2, criteria: [{ name: 'Tone', score: 1 }], labels: ['wrong answer'], note: 'Too slow.' }
    await saveReview(owner, call_sid, first, caller)
    const { reviews, ...rest } = await readReviews(owner, call_sid, caller)
    expect(rest).toEqual({ state: 'reviewed', reasons: ['slow'], assignee: null, has_own: true, model: null })
    expect(reviews).toEqual([
      {
        ...first,
        reviewer_sid: sid,
        reviewer: name,
        is_model: false,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      },
    ])
    await saveReview(owner, call_sid, { score: 5 }, caller)
    const replaced = await readReviews(owner, call_sid)
    expect(replaced.has_own).toBe(false)
    expect(replaced.reviews).toMatchObject([{ score: 5, criteria: [], labels: [], note: '' }])
    expect((await caller.delete(`${callPath(owner, call_sid)}/reviews/own`)).status).toBe(204)
    expect(await readReviews(owner, call_sid)).toMatchObject({ state: 'to_review', reviews: [] })
  })

  test('adds a call that no rule selects to the list', async () => {
    const owner = await withoutRandom(await createOwner())
    const call_sid = await converse(owner)
    expect(await readReviews(owner, call_sid)).toMatchObject({ state: null, reasons: [] })
    await saveReview(owner, call_sid, { score: 3 })
    expect(await readReviews(owner, call_sid)).toMatchObject({ state: 'reviewed', reasons: ['manual'] })
    expect(await listSids(owner, '&state=reviewed&reason=manual')).toEqual([call_sid])
    // Later data shows that a rule selects the call.
    await converse(owner, { call_sid, gap: 4000 })
    expect(await readReviews(owner, call_sid)).toMatchObject({ state: 'reviewed', reasons: ['slow'] })
  })

  test('is one of several, and the lowest score counts in the filter', async () => {
    const owner = await withoutRandom(await createOwner())
    const [bad, good] = [await converse(owner, { gap: 4000 }), await converse(owner, { gap: 4000 })]
    const { caller } = await api.user({ account_sid: owner.account_sid })
    const key = await api.apiKey({ account_sid: owner.account_sid })
    await saveReview(owner, bad, { score: 5 }, caller)
    await saveReview(owner, bad, { score: 1 }, key.caller)
    await saveReview(owner, good, { score: 4 }, caller)
    expect(await listSids(owner, '&state=reviewed&max_score=2')).toEqual([bad])
    const { reviews } = await readReviews(owner, bad, caller)
    expect(reviews.map(({ score }) => score)).toEqual([5, 1])
    expect(reviews[1]?.reviewer_sid).toBe(key.sid)
    expect(reviews[1]?.reviewer).not.toContain(key.caller.token)
  })

  test('is stored once per reviewer after 90 parallel requests, which all succeed', async () => {
    const owner = await withoutRandom(await createOwner())
    const call_sid = await converse(owner)
    const users = await Promise.all([1, 2, 3].map(() => api.user({ account_sid: owner.account_sid })))
    const answers = await Promise.all(
      users.flatMap(({ caller }) =>
        Array.from({ length: 30 }, (_, n) =>
          caller.put(`${callPath(owner, call_sid)}/reviews/own`, { score: (n % 5) + 1 }),
        ),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([204]))
    const { reviews } = await readReviews(owner, call_sid)
    expect(sorted(reviews.map(({ reviewer_sid }) => reviewer_sid))).toEqual(sorted(users.map(({ sid }) => sid)))
  })

  test('masks card numbers in the note, and leaves the note out of the audit trail', async () => {
    const owner = await withoutRandom(await createOwner())
    const call_sid = await converse(owner)
    await saveReview(owner, call_sid, { score: 1, note: 'The caller said 4111 1111 1111 1111.' })
    expect((await readReviews(owner, call_sid)).reviews[0]?.note).toBe('The caller said [card number].')
    const trail = getRow(await api.admin.get(`/patchbay/audit-trail?page=1&count=10&kind=call_review`))['data'] as Row[]
    const entry = trail.find(({ sid }) => sid === call_sid)
    expect(entry).toMatchObject({ action: 'create', account_sid: owner.account_sid })
    expect(entry?.['changes']).toContainEqual({ field: 'score', before: null, after: 1 })
    expect(JSON.stringify(entry)).not.toContain('The caller said')
  })

  test.each([
    [{}, 'score must be a whole number from 1 to 5'],
    [{ score: 6 }, 'score must be a whole number from 1 to 5'],
    [{ score: '3' }, 'score must be a whole number from 1 to 5'],
    [{ score: 3, note: 'x'.repeat(4001) }, 'note must be at most 4000 characters long'],
    [{ score: 3, labels: Array.from({ length: 11 }, (_, n) => `label ${n}`) }, 'labels must be at most 10 labels'],
    [{ score: 3, labels: ['x'.repeat(41)] }, 'must be at most 40 characters long'],
    [
      {
        score: 3,
        criteria: [
          { name: 'Tone', score: 1 },
          { name: 'Tone', score: 2 },
        ],
      },
      'criteria must have different names',
    ],
    [{ score: 3, criteria: [{ name: 'Tone', score: 0 }] }, 'score must be a whole number from 1 to 5'],
    [{ score: 3, reviewer: 'another' }, 'reviewer'],
  ])('rejects %j', async (body, message) => {
    const owner = await createOwner()
    const call_sid = await converse(owner)
    const [status, text] = statusAndMessage(await api.admin.put(`${callPath(owner, call_sid)}/reviews/own`, body))
    expect([status, text]).toEqual([400, expect.stringContaining(message)])
  })

  test('is rejected for a call of another account and for an unknown call', async () => {
    const [own, other] = [await createOwner(), await createOwner()]
    const foreign = await converse(other)
    const { caller } = await api.user({ account_sid: own.account_sid })
    const body = { score: 1 }
    expect((await caller.put(`${callPath(other, foreign)}/reviews/own`, body)).status).toBe(403)
    for (const call_sid of [foreign, randomUUID()]) {
      for (const path of ['reviews/own', 'assignee']) {
        const answer = await caller.put(
          `${callPath(own, call_sid)}/${path}`,
          path === 'assignee' ? { user_sid: null } : body,
        )
        expect(statusAndMessage(answer)).toEqual([404, 'Call not found'])
      }
      expect((await caller.get(`${callPath(own, call_sid)}/reviews`)).status).toBe(404)
    }
  })
})

describe('an assignment', () => {
  const reviewerNames = async ({ account_sid }: Owner, caller: Caller) =>
    (await caller.get(`/patchbay/accounts/${account_sid}/reviewers`)).body as { user_sid: string; name: string }[]

  test('names a user who may change the account, and can be filtered by and taken back', async () => {
    const owner = await withoutRandom(await createOwner())
    const [assigned, free] = [
      await converse(owner, { gap: 4000 }),
      await converse(owner, { gap: 4000, at: start + minute }),
    ]
    const user = await api.user({ account_sid: owner.account_sid })
    const assign = (user_sid: string | null) =>
      api.admin.put(`${callPath(owner, assigned)}/assignee`, { user_sid }).then(statusAndMessage)
    expect(await assign(user.sid)).toEqual([204, undefined])
    expect((await readReviews(owner, assigned)).assignee).toEqual({ user_sid: user.sid, name: user.name })
    expect(await listSids(owner, '&assignee=me', user.caller)).toEqual([assigned])
    expect(await listSids(owner, '&assignee=me')).toEqual([])
    expect(await listSids(owner, '&assignee=none')).toEqual([free])
    expect(await listSids(owner, `&assignee=${user.sid}`)).toEqual([assigned])
    expect(await assign(null)).toEqual([204, undefined])
    expect(await listSids(owner, '&assignee=none')).toEqual([free, assigned])
  })

  test('ends when the user is deleted', async () => {
    const owner = await withoutRandom(await createOwner())
    const call_sid = await converse(owner, { gap: 4000 })
    const { sid } = await api.user({ account_sid: owner.account_sid })
    await api.admin.put(`${callPath(owner, call_sid)}/assignee`, { user_sid: sid })
    await api.admin.delete(`/Users/${sid}`)
    expect((await readReviews(owner, call_sid)).assignee).toBeNull()
    expect(await listSids(owner, '&assignee=none')).toEqual([call_sid])
  })

  test('is possible to exactly the users whom the caller may know', async () => {
    const owner = await createOwner()
    const neighbor = await createOwner(owner.service_provider_sid)
    const call_sid = await converse(owner)
    const { account_sid, service_provider_sid } = owner
    const ofAccount = await api.user({ account_sid })
    const viewOnly = await api.user({ account_sid, is_view_only: true })
    const ofProvider = await api.user({ service_provider_sid })
    const ofNeighbor = await api.user({ account_sid: neighbor.account_sid })
    const ofOther = await api.user({ service_provider_sid: await api.provider() })
    const admin = await api.user()
    const everybody = [ofAccount, viewOnly, ofProvider, ofNeighbor, ofOther, admin]
    const expected: [Caller, (typeof everybody)[number][]][] = [
      [ofAccount.caller, [ofAccount]],
      [ofProvider.caller, [ofAccount, ofProvider]],
      [admin.caller, [ofAccount, ofProvider, admin]],
    ]
    for (const [caller, allowed] of expected) {
      const listed = (await reviewerNames(owner, caller)).map(({ user_sid }) => user_sid)
      for (const { sid, name } of everybody) {
        const isAllowed = allowed.some((one) => one.sid === sid)
        expect([name, listed.includes(sid)]).toEqual([name, isAllowed])
        const answer = await caller.put(`${callPath(owner, call_sid)}/assignee`, { user_sid: sid })
        expect([name, answer.status]).toEqual([name, isAllowed ? 204 : 400])
      }
    }
    const unknown = await api.admin.put(`${callPath(owner, call_sid)}/assignee`, { user_sid: randomUUID() })
    expect(statusAndMessage(unknown)).toEqual([400, 'user_sid must be an active user who can change this account'])
  })
})

describe('settings of reviews', () => {
  const settingsPath = ({ service_provider_sid }: Owner) =>
    `/patchbay/ServiceProviders/${service_provider_sid}/ReviewSettings`

  test('select slow, interrupted, and failed calls, and 2 % of all, unless they are changed', async () => {
    const owner = await createOwner()
    const { caller } = await api.user({ account_sid: owner.account_sid })
    expect(getRow(await caller.get(settingsPath(owner)))).toEqual({
      criteria: [],
      labels: [],
      slow_ms: 1500,
      interrupted: 1,
      failed: 1,
      random_percent: 2,
    })
    const criteria = [{ name: 'Tone', description: 'Polite and calm' }]
    expect((await api.admin.put(settingsPath(owner), { criteria, labels: ['hallucination'] })).status).toBe(204)
    expect(getRow(await caller.get(settingsPath(owner)))).toMatchObject({ criteria, labels: ['hallucination'] })
    expect((await caller.put(settingsPath(owner), { criteria: [] })).status).toBe(403)
  })

  test.each([
    [{ slow_ms: 50 }, 'slow_ms must be a whole number from 100 to 60000, or null'],
    [{ random_percent: 101 }, 'random_percent must be a whole number from 0 to 100'],
    [{ criteria: [{ name: ' ', description: '' }] }, 'must not be empty'],
    [
      {
        criteria: [
          { name: 'Tone', description: '' },
          { name: 'tone ', description: '' },
        ],
      },
      'criteria must have different names',
    ],
    [{ labels: ['same', 'Same'] }, 'labels must be different'],
    [{ labels: Array.from({ length: 51 }, (_, n) => `label ${n}`) }, 'labels must be at most 50 labels'],
  ])('reject %j', async (body, message) => {
    const [status, text] = statusAndMessage(await api.admin.put(settingsPath(await createOwner()), body))
    expect([status, text]).toEqual([400, expect.stringContaining(message)])
  })
})

describe('an export', () => {
  test('contains a row for each review and a column for each criterion as CSV', async () => {
    const owner = await withoutRandom(await createOwner())
    await api.admin.put(`/patchbay/ServiceProviders/${owner.service_provider_sid}/ReviewSettings`, {
      criteria: [
        { name: 'Tone', description: '' },
        { name: '=Sum', description: '' },
      ],
    })
    const { caller, name } = await api.user({ account_sid: owner.account_sid })
    const call_sid = await converse(owner, { gap: 4000 })
    const body = { score: 2, criteria: [{ name: 'Tone', score: 4 }], labels: ['a', 'b'], note: '=1+1, "quoted"' }
    await saveReview(owner, call_sid, body, caller)
    await saveReview(owner, call_sid, { score: 5 })
    const answer = await caller.get(`/patchbay/accounts/${owner.account_sid}/reviews.csv?${period}`)
    expect(answer.headers['content-disposition']).toBe('attachment; filename="reviews.csv"')
    const [header = '', ...rows] = answer.text.trimEnd().split('\r\n')
    expect(header.replace('\ufeff', '')).toBe(
      'started_at,account_sid,call_sid,reasons,assignee,reviewer,is_model,reviewed_at,score,labels,note,criterion: Tone,criterion: =Sum',
    )
    expect(rows).toHaveLength(2)
    const row = rows.find((line) => line.includes(name))
    expect(row).toMatch(new RegExp(`^2026-11-20T10:00:00.000Z,${owner.account_sid},${call_sid},slow,,`))
    expect(row?.endsWith(`,2,"a, b","'=1+1, ""quoted""",4,`)).toBe(true)
  })

  test('contains a line for each call of all pages as JSON Lines', async () => {
    const owner = await withoutRandom(await createOwner())
    const other = await createOwner(owner.service_provider_sid)
    const calls = await Promise.all(Array.from({ length: 120 }, () => converse(owner, { gap: 4000 })))
    for (const call_sid of calls) await saveReview(owner, call_sid, { score: 3 })
    const foreign = await converse(other, { gap: 4000 })
    await saveReview(other, foreign, { score: 1 })
    const exportLines = async (path: string) => {
      const { text } = await api.admin.get(`/patchbay/${path}/reviews.jsonl?${period}`)
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as ReviewList['calls'][number] & { transcript: unknown })
    }
    const lines = await exportLines(`accounts/${owner.account_sid}`)
    expect(sorted(lines.map(({ call_sid }) => call_sid))).toEqual(sorted(calls))
    expect(lines[0]).toMatchObject({ state: 'reviewed', reviews: [{ score: 3 }], transcript: null })
    const all = await exportLines(`service-providers/${owner.service_provider_sid}`)
    expect(sorted(all.map(({ call_sid }) => call_sid))).toEqual(sorted([...calls, foreign]))
  })
})
