import { ApiError } from '@patchbay/contract/api/errors'
import type { ResourceSpans } from '@patchbay/contract/call-traces'
import type { AgentEventContent } from '@patchbay/contract/conversation-events'
import type { Database } from '../../database/engine.ts'
import { createFairQueue, withoutSlot } from '../../lib/fair-queue.ts'
import type { CallOwner } from '../calls/search-options.ts'
import { type MaskableItems, type MaskingJob, maskItems } from './mask-items.ts'
import { maskEventSequences, maskLineSequences, maskSpanSequences } from './mask-sequences.ts'
import { createMaskingHelper, type MaskingHelper } from './masking-helper.ts'
import { createStoredRules, type OwnedRules, type StoredRules } from './masking-rules.ts'
import { createPatternBudgets, type MaskingPurpose } from './pattern-budgets.ts'
import { createPatternOverruns, type PatternOverruns } from './pattern-overruns.ts'
import { forEachInSlices, maskSpansInPieces, measureItems, toSlices } from './slices.ts'

/**
 * Masks the texts of calls: before they are stored, and again when they are read, because a trace can be in Jaeger, was
 * stored before a rule existed, or was stored before its account was known.
 */
export interface Masking {
  readonly rules: StoredRules
  readonly overruns: PatternOverruns
  /** Returns the rules for data of an owner. */
  findRules(owner: CallOwner): Promise<OwnedRules>
  maskSpans(rules: OwnedRules, all: readonly ResourceSpans[], purpose?: MaskingPurpose): Promise<ResourceSpans[]>
  /** Masks lines of logs, or other texts that can be JSON. */
  maskLines(rules: OwnedRules, lines: readonly string[], purpose?: MaskingPurpose): Promise<string[]>
  /** Masks lines of the log of a call as `maskLines` does, and card numbers that are spread over several of them. */
  maskLog(rules: OwnedRules, lines: readonly string[], purpose?: MaskingPurpose): Promise<string[]>
  maskEvents(
    rules: OwnedRules,
    contents: readonly AgentEventContent[],
    purpose?: MaskingPurpose,
  ): Promise<AgentEventContent[]>
  close(): Promise<void>
}

export interface MaskingOptions {
  /** Names of the span attributes that name a call, which are kept. */
  callAttributes?: readonly string[]
  overruns?: PatternOverruns
  /** Tests decide when a job ends. */
  helper?: MaskingHelper
}

/** Time for the patterns of a part of the data, which normally takes 16 ms. Others wait for it. */
const maxSliceMs = 500

/** Characters that a provider can have waiting for its patterns, because they are in memory. */
const maxWaitingCharacters = 64 * 1024 * 1024

type UnlimitedJob<K extends keyof MaskableItems> = Omit<MaskingJob<K>, 'budgetMs'>

const maskInSlices = async <K extends keyof MaskableItems>(job: UnlimitedJob<K>): Promise<MaskableItems[K][]> => {
  const masked: MaskableItems[K][] = []
  await forEachInSlices(maskItems(job), (item) => void masked.push(item))
  return masked
}

/** Creates the masking. */
export const createMasking = (
  database: Database,
  { callAttributes = [], overruns = createPatternOverruns(), helper = createMaskingHelper() }: MaskingOptions = {},
): Masking => {
  const rules = createStoredRules(database)
  const budgets = createPatternBudgets()
  // The provider whose patterns have used less time is first. So others wait at most for one part of an expensive one.
  const queue = createFairQueue({ name: 'masking', concurrency: 1, max: 1, getCost: budgets.getUsedMs })
  const waiting = new Map<string, number>()

  const reserve = (tenant: string, characters: number): (() => void) => {
    const before = waiting.get(tenant) ?? 0
    if (before > 0 && before + characters > maxWaitingCharacters) throw new ApiError('too_many_concurrent_requests')
    waiting.set(tenant, before + characters)
    return () => {
      const after = (waiting.get(tenant) ?? 0) - characters
      if (after > 0) waiting.set(tenant, after)
      else waiting.delete(tenant)
    }
  }

  const maskSlice = async <K extends keyof MaskableItems>(
    tenant: string,
    job: UnlimitedJob<K>,
    service_provider_sid: string | null,
  ): Promise<MaskableItems[K][]> => {
    const budgetMs = Math.min(maxSliceMs, budgets.getRemainingMs(tenant))
    const { items, usedMs, isExceeded } = await helper.run({ ...job, budgetMs })
    budgets.charge(tenant, usedMs)
    if (isExceeded && service_provider_sid !== null) overruns.add(service_provider_sid)
    return items
  }

  /** Applies patterns in turns with other providers. */
  const maskByPatterns = async <K extends keyof MaskableItems>(
    job: UnlimitedJob<K>,
    service_provider_sid: string | null,
    purpose: MaskingPurpose,
  ): Promise<MaskableItems[K][]> => {
    const tenant = `${purpose} ${service_provider_sid}`
    const sizes = measureItems(job.items)
    const release = reserve(
      tenant,
      sizes.reduce((sum, size) => sum + size, 0),
    )
    try {
      return await queue.run(
        tenant,
        async (runStep) => {
          const masked: MaskableItems[K][] = []
          for (const items of toSlices<K>(job.items, sizes))
            for (const item of await runStep(() => maskSlice(tenant, { ...job, items }, service_provider_sid)))
              masked.push(item)
          return masked
        },
        undefined,
        true,
      )
    } finally {
      release()
    }
  }

  const run = <K extends keyof MaskableItems>(
    kind: K,
    items: readonly MaskableItems[K][],
    { service_provider_sid, ...ownRules }: OwnedRules,
    purpose: MaskingPurpose,
  ): Promise<MaskableItems[K][]> => {
    const job = { kind, items, rules: ownRules, callAttributes }
    return ownRules.patterns.length === 0 || items.length === 0
      ? maskInSlices(job)
      : withoutSlot(() => maskByPatterns(job, service_provider_sid, purpose))
  }
  return {
    rules,
    overruns,
    findRules: (owner) =>
      'account_sid' in owner ? rules.ofAccount(owner.account_sid) : rules.ofProvider(owner.service_provider_sid),
    maskSpans: async (ownRules, all, purpose = 'read') => {
      const mask = (some: readonly ResourceSpans[]) => run('spans', some, ownRules, purpose)
      const masked = await (ownRules.patterns.length === 0 ? mask(all) : maskSpansInPieces(all, mask))
      return ownRules.card_numbers === 1 ? maskSpanSequences(masked) : masked
    },
    maskLines: (ownRules, lines, purpose = 'read') => run('lines', lines, ownRules, purpose),
    maskLog: async (ownRules, lines, purpose = 'read') => {
      const masked = await run('lines', lines, ownRules, purpose)
      return ownRules.card_numbers === 1 ? maskLineSequences(masked) : masked
    },
    maskEvents: async (ownRules, contents, purpose = 'read') => {
      const masked = (await run('values', contents, ownRules, purpose)) as AgentEventContent[]
      return ownRules.card_numbers === 1 ? maskEventSequences(masked) : masked
    },
    close: () => helper.close(),
  }
}
