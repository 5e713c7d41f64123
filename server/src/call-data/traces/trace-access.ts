import type { Trace } from '@patchbay/contract/call-traces'
import type { ResourceSpans } from './traces.ts'

/**
 * Decides which spans of a trace belong to an owner.
 *
 * The feature server writes `accountSid` into the first span of a call; the spans below it name no account. A trace id may
 * be used by calls of several tenants. So spans are told apart by the span at the top of each:
 * - spans below one that names accounts of the owner alone are shown;
 * - spans below one that names another account are not;
 * - spans below one that names no account are shown if nobody else has a part in the trace: it names no other account, no
 *   other tenant has a call record with its id, and it names the owner or the owner has such a record.
 */

type Span = ResourceSpans['instrumentationLibrarySpans'][number]['spans'][number]

/** Accounts that a trace may name. One that names more belongs to nobody. */
const maxAccounts = 20

export interface NamedAccounts {
  /** by the id of the span at the top */
  byTop: ReadonlyMap<string, ReadonlySet<string>>
  all: ReadonlySet<string>
  topOf: (span: Span) => string
}

const spansOf = function* ({ resourceSpans }: Trace): Generator<Span> {
  for (const { instrumentationLibrarySpans } of resourceSpans)
    for (const { spans } of instrumentationLibrarySpans) yield* spans
}

const accountsIn = ({ attributes }: Span): string[] =>
  attributes.flatMap(({ key, value }) => (key === 'accountSid' ? [Object.values(value).join()] : []))

/** Returns the id of the span at the top of each span. Takes linear time, also if spans are each other's parents. */
const topsOf = (trace: Trace): Map<string, string> => {
  const parents = new Map<string, string>()
  for (const { spanId, parentSpanId } of spansOf(trace)) parents.set(spanId, parentSpanId)
  const tops = new Map<string, string>()
  for (const start of parents.keys()) {
    const path: string[] = []
    const onPath = new Set<string>()
    let at = start
    for (;;) {
      const known = tops.get(at)
      const parent = parents.get(at)
      if (known !== undefined || onPath.has(at) || parent === undefined || !parents.has(parent)) {
        const top = known ?? at
        for (const id of [...path, at]) tops.set(id, top)
        break
      }
      path.push(at)
      onPath.add(at)
      at = parent
    }
  }
  return tops
}

/** Returns the accounts that a trace names, by the span at the top of those that name them. */
export const namedAccounts = (trace: Trace): NamedAccounts => {
  const tops = topsOf(trace)
  const topOf = ({ spanId }: Span) => tops.get(spanId) ?? spanId
  const byTop = new Map<string, Set<string>>()
  const all = new Set<string>()
  for (const span of spansOf(trace)) {
    const top = topOf(span)
    for (const account_sid of accountsIn(span)) {
      if (all.size <= maxAccounts) all.add(account_sid)
      const known = byTop.get(top) ?? new Set()
      if (known.size <= maxAccounts) known.add(account_sid)
      byTop.set(top, known)
    }
  }
  return { byTop, all, topOf }
}

/** Returns the spans of a trace for which `isShown`, or undefined if there are none. */
const restricted = (trace: Trace, isShown: (span: Span) => boolean): Trace | undefined => {
  const resourceSpans = trace.resourceSpans.flatMap((group) => {
    const scopes = group.instrumentationLibrarySpans.flatMap((scope) => {
      const spans = scope.spans.filter(isShown)
      return spans.length === 0 ? [] : [{ ...scope, spans }]
    })
    return scopes.length === 0 ? [] : [{ ...group, instrumentationLibrarySpans: scopes }]
  })
  return resourceSpans.length === 0 ? undefined : { ...trace, resourceSpans }
}

export interface TraceOwner {
  /** Whether an account belongs to the owner. */
  isOwn(account_sid: string): Promise<boolean>
  /** Whether the owner has call records with the id of the trace. */
  hasCall: boolean
  /** Whether other tenants have call records with the id of the trace. */
  isShared(): Promise<boolean>
}

/** Returns the spans of a trace that belong to an owner, or undefined if there are none. */
export const ownSpans = async (trace: Trace, owner: TraceOwner): Promise<Trace | undefined> => {
  const { byTop, all, topOf } = namedAccounts(trace)
  if (all.size > maxAccounts) return undefined
  const own = new Set<string>()
  for (const account_sid of all) if (await owner.isOwn(account_sid)) own.add(account_sid)
  const isOwnTrace = own.size === all.size && (all.size > 0 || owner.hasCall)
  const showsUnnamed = isOwnTrace && !(await owner.isShared())
  return restricted(trace, (span) => {
    const named = byTop.get(topOf(span))
    return named === undefined ? showsUnnamed : [...named].every((account_sid) => own.has(account_sid))
  })
}
