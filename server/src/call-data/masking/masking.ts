import type { AgentEventContent } from '@patchbay/contract/conversation-events'
import type { MaskingRules } from '@patchbay/contract/masking-rules'
import { setImmediate as nextTick } from 'node:timers/promises'
import type { Database } from '../../database/engine.ts'
import { createFairQueue } from '../../lib/fair-queue.ts'
import { repeatIfHelperDied } from '../../lib/helper-process.ts'
import type { CallOwner } from '../calls/search-options.ts'
import type { ResourceSpans } from '../traces/traces.ts'
import { type MaskableItems, maskItems, type MaskingJob } from './mask-items.ts'
import { createMaskingHelper } from './masking-helper.ts'
import { createStoredRules, type StoredRules } from './masking-rules.ts'

/**
 * Masks the texts of calls: before they are stored, and again when they are read, because a trace can be in Jaeger, was
 * stored before a rule existed, or was stored before its account was known.
 */
export interface Masking {
  readonly rules: StoredRules
  /** Returns the rules for data of an owner. */
  findRules(owner: CallOwner): Promise<MaskingRules>
  maskSpans(rules: MaskingRules, all: readonly ResourceSpans[]): Promise<ResourceSpans[]>
  /** Masks lines of logs, or other texts that can be JSON. */
  maskLines(rules: MaskingRules, lines: readonly string[]): Promise<string[]>
  maskEvents(rules: MaskingRules, contents: readonly AgentEventContent[]): Promise<AgentEventContent[]>
  close(): Promise<void>
}

/** Milliseconds after which other requests run. */
const sliceMs = 10

const maskInSlices = async <K extends keyof MaskableItems>(job: MaskingJob<K>): Promise<MaskableItems[K][]> => {
  const masked: MaskableItems[K][] = []
  let startedAt = performance.now()
  for await (const item of maskItems(job)) {
    masked.push(item)
    if (performance.now() - startedAt < sliceMs) continue
    await nextTick()
    startedAt = performance.now()
  }
  return masked
}

/**
 * Creates the masking.
 * @param callAttributes names of the span attributes that name a call, which are kept
 */
export const createMasking = (database: Database, callAttributes: readonly string[] = []): Masking => {
  const rules = createStoredRules(database)
  const helper = createMaskingHelper()
  const queue = createFairQueue({ name: 'masking', concurrency: 1, max: 1 })
  /** Jobs with the same rules share a queue, so that a provider with slow patterns delays only itself. */
  const runInHelper = <K extends keyof MaskableItems>(job: MaskingJob<K>) =>
    queue.run(
      JSON.stringify(job.rules),
      (runStep) => runStep(() => repeatIfHelperDied(() => helper.run(job))),
      undefined,
      true,
    )
  const run = <K extends keyof MaskableItems>(
    kind: K,
    items: readonly MaskableItems[K][],
    ownRules: MaskingRules,
  ): Promise<MaskableItems[K][]> => {
    const job = { kind, items, rules: ownRules, callAttributes }
    return ownRules.patterns.length === 0 || items.length === 0 ? maskInSlices(job) : runInHelper(job)
  }
  return {
    rules,
    findRules: (owner) =>
      'account_sid' in owner ? rules.ofAccount(owner.account_sid) : rules.ofProvider(owner.service_provider_sid),
    maskSpans: (ownRules, all) => run('spans', all, ownRules),
    maskLines: (ownRules, lines) => run('lines', lines, ownRules),
    maskEvents: async (ownRules, contents) => (await run('values', contents, ownRules)) as AgentEventContent[],
    close: () => helper.close(),
  }
}
