import { randomUUID } from 'node:crypto'
import type { Alert } from '@patchbay/contract/alerts'
import type { ConversationLimits } from '@patchbay/contract/conversation-limits'
import { toBucket } from '@patchbay/rules/conversations/duration-buckets'
import type { Contribution } from '@patchbay/rules/conversations/summarize'
import { storeConversations } from '@patchbay/server/call-data/conversations/store-conversation'
import { createLimitWatch } from '@patchbay/server/jobs/watch-conversation-limits'
import { openTestApi } from '@patchbay/testkit/test-world'
import { describe, expect, test } from 'vitest'
import { claimConversation, getRow, type Row, statusAndMessage } from './fixtures.ts'

/** Limits of conversations: setting them, and the alerts when conversations exceed them. */

const api = await openTestApi()
const { database } = api.test

const minute = 60_000
const start = Date.parse('2026-11-20T10:00:00Z')

interface Owner {
  account_sid: string
  service_provider_sid: string
}

const createOwner = async (): Promise<Owner> => {
  const service_provider_sid = await api.provider()
  return { service_provider_sid, account_sid: await api.account(service_provider_sid) }
}

const limitsPath = ({ account_sid }: Pick<Owner, 'account_sid'>) =>
  `/patchbay/accounts/${account_sid}/conversation-limits`
const providerPath = ({ service_provider_sid }: Pick<Owner, 'service_provider_sid'>) =>
  `/patchbay/service-providers/${service_provider_sid}/conversation-limits`

const readLimits = async (path: string) => getRow(await api.admin.get(path)) as unknown as ConversationLimits

const readAlerts = async (owner: string): Promise<Alert[]> => {
  const answer = await api.admin.get(`/${owner}/Alerts?page=1&count=100&start=2026-11-01`)
  return (getRow(answer)['data'] as Alert[]).toReversed()
}

/** Stores conversations that end at a time, with one response after each of these gaps. */
const storeCalls = async (
  { account_sid, service_provider_sid }: Owner,
  { at, gaps, more = {} }: { at: number; gaps: readonly number[]; more?: Readonly<Record<string, number>> },
): Promise<void> => {
  for (const gap of gaps) {
    const all = { dimension: 'all', value: '' } as const
    const amounts = { conversations: 1, agent_turns: 1, caller_turns: 1, ...more }
    const contributions = [
      ...Object.entries(amounts).map(([measure, amount]) => ({ ...all, measure, bucket: 0, amount })),
      { ...all, measure: 'gap', bucket: toBucket(gap), amount: 1 },
    ] as Contribution[]
    const call_sid = randomUUID()
    const times = { started_at: at - 5 * minute, ended_at: at }
    const claimed = claimConversation({ account_sid, service_provider_sid, call_sid, ...times, contributions })
    await storeConversations(database, [claimed], { computed_at: at, onStored: () => Promise.resolve() })
  }
}

/** Runs the job at this time, even if it has just run. */
const check = (at: number): Promise<void> => {
  const counters = { ...api.services.counters, read: () => Promise.resolve(0), increment: () => Promise.resolve(1) }
  return createLimitWatch({ database, counters }, () => at)()
}

const slow = Array.from({ length: 10 }, () => 4000)
const fast = Array.from({ length: 10 }, () => 500)

describe('limits of conversations', () => {
  test('are empty at first, can be changed in part, and are audited', async () => {
    const owner = await createOwner()
    const none = { gap_p95_ms: null, interrupted_percent: null, talked_over_percent: null, failed_percent: null }
    expect(await readLimits(limitsPath(owner))).toEqual({ ...none, minutes: 15, min_conversations: 10, exceeded: [] })
    expect((await api.admin.put(limitsPath(owner), { gap_p95_ms: 1500 })).status).toBe(204)
    expect((await api.admin.put(limitsPath(owner), { interrupted_percent: 15, minutes: 30 })).status).toBe(204)
    const limits = await readLimits(limitsPath(owner))
    expect(limits).toMatchObject({ gap_p95_ms: 1500, interrupted_percent: 15, failed_percent: null, minutes: 30 })
    expect((await api.admin.put(limitsPath(owner), { gap_p95_ms: null })).status).toBe(204)
    expect((await readLimits(limitsPath(owner))).gap_p95_ms).toBeNull()
    // The provider has limits of its own.
    expect((await readLimits(providerPath(owner))).interrupted_percent).toBeNull()
    const trail = getRow(await api.admin.get(`/patchbay/audit-trail?page=1&count=10&kind=conversation_limits`))[
      'data'
    ] as Row[]
    expect(trail.filter(({ sid }) => sid === owner.account_sid).map(({ action }) => action)).toEqual([
      'update',
      'update',
      'create',
    ])
  })

  test.each([
    [{ gap_p95_ms: 50 }, 'gap_p95_ms must be a whole number from 100 to 60000'],
    [{ gap_p95_ms: '1500' }, 'gap_p95_ms must be a whole number'],
    [{ interrupted_percent: 0 }, 'interrupted_percent must be a whole number from 1 to 100'],
    [{ minutes: null }, 'minutes must be a whole number from 5 to 1440'],
    [{ min_conversations: 1.5 }, 'min_conversations must be a whole number'],
    [{ unknown: 1 }, 'unknown'],
  ])('reject %j', async (body, message) => {
    const owner = await createOwner()
    const [status, text] = statusAndMessage(await api.admin.put(limitsPath(owner), body))
    expect([status, String(text).includes(message)]).toEqual([400, true])
  })

  test('belong to their account and provider', async () => {
    const [own, other] = [await createOwner(), await createOwner()]
    const { caller } = await api.user({ account_sid: own.account_sid })
    expect((await caller.put(limitsPath(own), { gap_p95_ms: 1500 })).status).toBe(204)
    for (const path of [limitsPath(other), providerPath(own), providerPath(other)]) {
      expect((await caller.get(path)).status).toBe(403)
      expect((await caller.put(path, { gap_p95_ms: 1 })).status).toBe(403)
    }
    const unknown = await api.admin.put(limitsPath({ account_sid: randomUUID() }), { gap_p95_ms: 1500 })
    expect(unknown.status).toBe(404)
  })

  test('of 30 parallel changes all are kept', async () => {
    const owner = await createOwner()
    const changes = Array.from({ length: 30 }, (_, position) =>
      position % 2 === 0 ? { gap_p95_ms: 1000 + position } : { failed_percent: 1 + position },
    )
    const answers = await Promise.all(changes.map((change) => api.admin.put(limitsPath(owner), change)))
    expect(answers.map(({ status }) => status)).toEqual(changes.map(() => 204))
    const limits = await readLimits(limitsPath(owner))
    expect([limits.gap_p95_ms, limits.failed_percent]).toEqual([expect.any(Number), expect.any(Number)])
  })
})

describe('conversations', () => {
  test('that exceed a limit raise one alert, and another one when they keep it again', async () => {
    const owner = await createOwner()
    await api.admin.put(limitsPath(owner), { gap_p95_ms: 1500 })
    await storeCalls(owner, { at: start, gaps: slow })
    await check(start + minute)
    await check(start + 2 * minute)
    const [alert, ...others] = await readAlerts(`Accounts/${owner.account_sid}`)
    expect(others).toEqual([])
    expect(alert).toMatchObject({ alert_type: 'conversation-limit-exceeded', account_sid: owner.account_sid })
    expect(alert?.message).toMatch(
      /^The 95th percentile of the response gap was (?:3\.\d+|4(?:\.\d+)?) s in the last 15 minutes \(10 conversations\)\. It exceeds the limit of 1\.5 s\.$/,
    )
    expect((await readLimits(limitsPath(owner))).exceeded).toEqual([
      { measure: 'gap_p95_ms', since: new Date(start + minute).toISOString() },
    ])
    await storeCalls(owner, { at: start + 20 * minute, gaps: fast })
    await check(start + 21 * minute)
    const types = (await readAlerts(`Accounts/${owner.account_sid}`)).map(({ alert_type }) => alert_type)
    expect(types).toEqual(['conversation-limit-exceeded', 'conversation-limit-recovered'])
    expect((await readLimits(limitsPath(owner))).exceeded).toEqual([])
  })

  test('that end altogether end an exceeded limit with an alert that says so, after its period', async () => {
    const owner = await createOwner()
    await api.admin.put(limitsPath(owner), { gap_p95_ms: 1500 })
    await storeCalls(owner, { at: start, gaps: slow })
    await check(start + minute)
    await storeCalls(owner, { at: start + 10 * minute, gaps: slow.slice(0, 2) })
    // Two slow conversations are too few to compare, so they end nothing.
    await check(start + 20 * minute)
    expect((await readLimits(limitsPath(owner))).exceeded).toHaveLength(1)
    await check(start + 26 * minute)
    await check(start + 27 * minute)
    const alerts = await readAlerts(`Accounts/${owner.account_sid}`)
    expect(alerts.map(({ alert_type, message }) => [alert_type, message])).toEqual([
      ['conversation-limit-exceeded', expect.any(String)],
      [
        'conversation-limit-recovered',
        'There were no conversations in the last 15 minutes, so the 95th percentile of the response gap no longer exceeds the limit of 1.5 s.',
      ],
    ])
    expect((await readLimits(limitsPath(owner))).exceeded).toEqual([])
    await storeCalls(owner, { at: start + 50 * minute, gaps: slow })
    await check(start + 51 * minute)
    expect(await readAlerts(`Accounts/${owner.account_sid}`)).toHaveLength(3)
  })

  test('raise alerts for each measure, and for the provider with all its accounts', async () => {
    const owner = await createOwner()
    const second = { ...owner, account_sid: await api.account(owner.service_provider_sid) }
    const all = { interrupted_percent: 15, talked_over_percent: 15, failed_percent: 50, min_conversations: 20 }
    await api.admin.put(providerPath(owner), all)
    const more = { caller_interruptions: 1, agent_interruptions: 1, errors: 3 }
    await storeCalls(owner, { at: start, gaps: fast, more })
    await check(start + minute)
    expect(await readAlerts(`ServiceProviders/${owner.service_provider_sid}`)).toEqual([])
    await storeCalls(second, { at: start, gaps: fast, more })
    await check(start + minute)
    const alerts = await readAlerts(`ServiceProviders/${owner.service_provider_sid}`)
    expect(alerts.map(({ message }) => message)).toEqual([
      'The share of the agent’s turns that the other party interrupted was 100 % in the last 15 minutes (20 conversations). It exceeds the limit of 15 %.',
      'The share of the other party’s turns that the agent interrupted was 100 % in the last 15 minutes (20 conversations). It exceeds the limit of 15 %.',
      'The share of conversations with an error was 100 % in the last 15 minutes (20 conversations). It exceeds the limit of 50 %.',
    ])
    expect(alerts[0]).toMatchObject({ account_sid: null, service_provider_sid: owner.service_provider_sid })
  })

  test('of other accounts, older ones, and too few ones raise none', async () => {
    const [owner, other] = [await createOwner(), await createOwner()]
    await api.admin.put(limitsPath(owner), { gap_p95_ms: 1500 })
    await storeCalls(other, { at: start, gaps: slow })
    await storeCalls(owner, { at: start - 20 * minute, gaps: slow })
    await storeCalls(owner, { at: start, gaps: slow.slice(1) })
    await check(start + minute)
    expect(await readAlerts(`Accounts/${owner.account_sid}`)).toEqual([])
  })

  test('that change often raise alerts only after the period of the limit', async () => {
    const owner = await createOwner()
    await api.admin.put(limitsPath(owner), { gap_p95_ms: 1500, minutes: 5 })
    await storeCalls(owner, { at: start, gaps: slow })
    await check(start + minute)
    await storeCalls(owner, { at: start + 2 * minute, gaps: Array.from({ length: 300 }, () => 500) })
    await check(start + 3 * minute)
    expect(await readAlerts(`Accounts/${owner.account_sid}`)).toHaveLength(1)
    await check(start + 6.5 * minute)
    expect(await readAlerts(`Accounts/${owner.account_sid}`)).toHaveLength(2)
  })

  test('are compared anew after the limit has changed', async () => {
    const owner = await createOwner()
    await api.admin.put(limitsPath(owner), { gap_p95_ms: 1500 })
    await storeCalls(owner, { at: start, gaps: slow })
    await check(start + minute)
    await api.admin.put(limitsPath(owner), { gap_p95_ms: 5000 })
    expect((await readLimits(limitsPath(owner))).exceeded).toEqual([])
    await check(start + 2 * minute)
    expect(await readAlerts(`Accounts/${owner.account_sid}`)).toHaveLength(1)
  })

  test('that several processes compare at once raise one alert', async () => {
    const owner = await createOwner()
    await api.admin.put(limitsPath(owner), { gap_p95_ms: 1500 })
    await storeCalls(owner, { at: start, gaps: slow })
    await Promise.all([check(start + minute), check(start + minute), check(start + minute)])
    expect(await readAlerts(`Accounts/${owner.account_sid}`)).toHaveLength(1)
  })

  test('of a deleted account need no limits', async () => {
    const owner = await createOwner()
    await api.admin.put(limitsPath(owner), { gap_p95_ms: 1500 })
    expect((await api.admin.delete(`/Accounts/${owner.account_sid}`)).status).toBe(204)
    await check(start)
    const row = await database.db
      .selectFrom('patchbay_conversation_limits')
      .select('owner_sid')
      .where('owner_sid', '=', owner.account_sid)
      .execute()
    expect(row).toEqual([])
  })
})
