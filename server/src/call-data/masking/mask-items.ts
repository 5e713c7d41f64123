import type { ResourceSpans } from '@patchbay/contract/call-traces'
import type { MaskingRules } from '@patchbay/contract/masking-rules'
import { maskSpans } from './mask-spans.ts'
import { maskLine, maskValue } from './mask-values.ts'
import { compileRules, createTextMasker, type MaskingBudget, type TextMasker } from './text-masker.ts'

/** Masks lists of call data. Runs on the main thread, and in the helper process of masking-helper.ts for patterns. */

/** The kinds of call data with texts. `values` are JSON values, such as the events of an agent. */
export interface MaskableItems {
  spans: ResourceSpans
  lines: string
  values: unknown
}

export interface MaskingJob<K extends keyof MaskableItems = keyof MaskableItems> {
  kind: K
  items: readonly MaskableItems[K][]
  rules: MaskingRules
  /** Names of the span attributes that name a call, which are kept. */
  callAttributes: readonly string[]
  /** Time for the patterns. */
  budgetMs: number
}

export interface MaskingReply<K extends keyof MaskableItems = keyof MaskableItems> {
  items: MaskableItems[K][]
  usedMs: number
  /** Whether texts were replaced because no time was left. */
  isExceeded: boolean
}

type MaskItem<K extends keyof MaskableItems> = (
  item: MaskableItems[K],
  masker: TextMasker,
  callAttributes: ReadonlySet<string>,
) => MaskableItems[K]

const maskItem: { readonly [K in keyof MaskableItems]: MaskItem<K> } = {
  spans: maskSpans,
  lines: maskLine,
  values: (value, masker) => maskValue(value, masker),
}

/** Yields the masked items one by one, so that the caller can let other work run in between. */
export async function* maskItems<K extends keyof MaskableItems>(
  { kind, items, rules, callAttributes }: Omit<MaskingJob<K>, 'budgetMs'>,
  budget?: MaskingBudget,
): AsyncGenerator<MaskableItems[K]> {
  const masker = createTextMasker(await compileRules(rules), budget)
  const attributes = new Set(callAttributes)
  const mask: MaskItem<K> = maskItem[kind]
  for (const item of items) yield mask(item, masker, attributes)
}
