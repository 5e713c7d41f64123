import { setImmediate as later } from 'node:timers/promises'
import type { ResourceSpans } from '@patchbay/contract/call-traces'
import { uncheckedLabel } from '@patchbay/contract/shared/masking-limits'
import { expect, test } from 'vitest'
import type { Database } from '../../database/engine.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import { type MaskableItems, type MaskingJob, type MaskingReply, maskItems } from './mask-items.ts'
import { createMasking } from './masking.ts'
import type { MaskingHelper } from './masking-helper.ts'
import type { OwnedRules } from './masking-rules.ts'
import { budgetMsPerMinute, createPatternBudgets } from './pattern-budgets.ts'
import { createPatternOverruns } from './pattern-overruns.ts'

/** Providers take turns while their patterns are applied. The tests decide when a job ends. */

const createRules = (service_provider_sid: string): OwnedRules => ({
  service_provider_sid,
  card_numbers: 1,
  pressed_digits: 0,
  patterns: [{ name: 'Orders', expression: `\\b${service_provider_sid}-\\d+\\b`, replacement: 'order' }],
  mute_recordings: 0,
})
const [attacker, other] = [createRules('AA'), createRules('BB')]

/** Masks as the process does, and says that this took some time. */
const maskNow = async <K extends keyof MaskableItems>(job: MaskingJob<K>, usedMs = 0): Promise<MaskingReply<K>> => {
  const budget = { remainingMs: job.budgetMs - usedMs }
  const items: MaskableItems[K][] = []
  for await (const item of maskItems(job, budget)) items.push(item)
  return { items, usedMs, isExceeded: Reflect.get(budget, 'isExceeded') === true }
}

const getOwner = ({ rules }: Pick<MaskingJob, 'rules'>): string => rules.patterns[0]?.expression.slice(2, 4) ?? ''

const createHeldHelper = (usedMs: (owner: string) => number) => {
  const jobs: { owner: string; finish: () => void }[] = []
  const helper: MaskingHelper = {
    run: (job) =>
      new Promise((resolve) => {
        jobs.push({ owner: getOwner(job), finish: () => resolve(maskNow(job, usedMs(getOwner(job)))) })
      }),
    close: () => Promise.resolve(),
  }
  return { jobs, helper }
}

// The rules are not read in these tests.
const database = { db: {} } as unknown as Database

const largeLog = Array.from({ length: 100 }, (_, at) => `AA-${at} ${'a'.repeat(1024)}`)

test('another provider waits for one part of the work of a provider with expensive patterns, and needs no slot of readers', async () => {
  const { jobs, helper } = createHeldHelper((owner) => (owner === 'AA' ? 500 : 10))
  const masking = createMasking(database, { helper })
  const readers = createFairQueue({ name: 'test', concurrency: 2, max: 64 })
  const done: string[] = []
  const read = async (tenant: string, rules: OwnedRules, lines: readonly string[]) => {
    const masked = await readers.run(tenant, (runStep) => runStep(() => masking.maskLines(rules, lines)))
    done.push(tenant)
    return masked
  }
  const attacks = [1, 2, 3, 4].map(() => read('AA', attacker, largeLog))
  await expect.poll(() => jobs.length).toBe(1)
  const conversation = read(
    'BB',
    other,
    Array.from({ length: 40 }, (_, at) => `BB-${at} ${'b'.repeat(1024)}`),
  )
  // The four reads of the attacker hold none of the two slots, so that the other read begins.
  for (let ticks = 0; ticks < 10; ticks += 1) await later()
  let finished = 0
  const finishNext = async () => {
    await expect.poll(() => jobs.length).toBeGreaterThan(finished)
    jobs[finished]?.finish()
    finished += 1
  }
  while (!done.includes('BB')) {
    await finishNext()
    for (let ticks = 0; ticks < 10; ticks += 1) await later()
  }
  expect((await conversation)[0]).toMatch(/^\[order\] b/)
  expect(jobs.slice(0, finished).map(({ owner }) => owner)).toEqual(['AA', 'BB', 'BB', 'BB'])
  expect(done).toEqual(['BB'])
  while (done.length < 5) {
    await finishNext()
    for (let ticks = 0; ticks < 10; ticks += 1) await later()
  }
  await Promise.all(attacks)
})

test('texts of a provider whose share of the minute is used up are replaced, and the provider is named', async () => {
  const helper: MaskingHelper = {
    run: (job) => maskNow(job, getOwner(job) === 'AA' ? 500 : 0),
    close: () => Promise.resolve(),
  }
  const overruns = createPatternOverruns()
  const masking = createMasking(database, { helper, overruns })
  for (let used = 0; used < budgetMsPerMinute; used += 500) await masking.maskLines(attacker, ['AA-1'])
  expect(await masking.maskLines(attacker, ['AA-1', 'harmless'])).toEqual([uncheckedLabel, uncheckedLabel])
  expect(await masking.maskLines(other, ['BB-1 AA-1'])).toEqual(['[order] AA-1'])
  expect(overruns.list().map(({ service_provider_sid }) => service_provider_sid)).toEqual(['AA'])
  expect(overruns.getLastAt('BB')).toBeUndefined()
})

test('reading uses no time of what is stored', async () => {
  const helper: MaskingHelper = { run: (job) => maskNow(job, 500), close: () => Promise.resolve() }
  const masking = createMasking(database, { helper })
  const budgetMs: number[] = []
  const recording = createMasking(database, {
    helper: { ...helper, run: (job) => (budgetMs.push(job.budgetMs), maskNow(job, job.budgetMs)) },
  })
  for (let used = 0; used < budgetMsPerMinute; used += 500) await recording.maskLines(other, ['BB-1'])
  await recording.maskLines(other, ['BB-1'])
  expect(budgetMs.at(-1)).toBeLessThan(500)
  await recording.maskLines(other, ['BB-1'], 'store')
  expect(budgetMs.at(-1)).toBe(500)
  await masking.close()
})

test('a share comes back with time', () => {
  let now = 0
  const budgets = createPatternBudgets(() => now)
  budgets.charge('AA', budgetMsPerMinute)
  expect(budgets.getRemainingMs('AA')).toBe(0)
  now += 30_000
  expect(budgets.getRemainingMs('AA')).toBe(budgetMsPerMinute / 2)
  now += 60_000
  expect(budgets.getRemainingMs('AA')).toBe(budgetMsPerMinute)
  expect(budgets.getRemainingMs('BB')).toBe(budgetMsPerMinute)
})

test('too much waiting data of a provider is rejected, and that of others is not', async () => {
  const { jobs, helper } = createHeldHelper(() => 0)
  const masking = createMasking(database, { helper })
  const huge = 'a'.repeat(40 * 1024 * 1024)
  const first = masking.maskLines(attacker, [huge])
  await expect(masking.maskLines(attacker, [huge])).rejects.toMatchObject({ code: 'too_many_concurrent_requests' })
  const second = masking.maskLines(other, ['BB-1'])
  for (let at = 0; at < 2; at += 1) {
    await expect.poll(() => jobs.length).toBe(at + 1)
    jobs[at]?.finish()
  }
  expect(await second).toEqual(['[order]'])
  await first
})

test('spans that are masked in pieces keep their resources, scopes, and order', async () => {
  const masking = createMasking(database, {
    helper: { run: (job) => maskNow(job), close: () => Promise.resolve() },
  })
  const createSpan = (at: number) => ({
    traceId: 'a',
    spanId: String(at),
    name: `BB-${at}`,
    startTimeUnixNano: String(at),
    attributes: [],
  })
  const createScope = (name: string, count: number) => ({
    instrumentationLibrary: { name },
    spans: Array.from({ length: count }, (_, at) => createSpan(at)),
  })
  const all = [
    {
      resource: { attributes: [{ key: 'text', value: { stringValue: 'BB-1' } }] },
      instrumentationLibrarySpans: [createScope('one', 40), createScope('none', 0), createScope('two', 3)],
    },
    { resource: { attributes: [] }, instrumentationLibrarySpans: [] },
    { resource: { attributes: [] }, instrumentationLibrarySpans: [createScope('three', 17)] },
  ] as unknown as ResourceSpans[]
  const expected = JSON.parse(JSON.stringify(all).replaceAll(/BB-\d+/g, '[order]')) as unknown
  expect(await masking.maskSpans(other, all)).toEqual(expected)
})
