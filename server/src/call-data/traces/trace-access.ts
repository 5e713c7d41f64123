import type { ResourceSpans, Trace } from '@patchbay/contract/call-traces'

/**
 * Decides which spans of a trace belong to an owner.
 *
 * The feature server writes `accountSid` into the root span of a call; its child spans name no account. Calls of
 * several tenants may share a trace id. The root span therefore decides for all spans below it:
 * - The owner can see the spans if all accounts that are named below the root belong to the owner.
 * - The owner cannot see the spans if another account is named.
 * - If no account is named, the owner can see the spans only if the trace has no other tenant: the trace names no other
 * account, no other tenant has a call record with its id, and either the trace names the owner or the owner has a call
 * record with its id.
 */

type Span = ResourceSpans['instrumentationLibrarySpans'][number]['spans'][number]

/** Maximum number of accounts in a trace. A trace with more is not shown to any owner. */
const maxAccounts = 20

export interface NamedAccounts {
  /** Accounts by root span id. */
  byRoot: ReadonlyMap<string, ReadonlySet<string>>
  all: ReadonlySet<string>
  getRootId: (span: Span) => string
}

const listSpans = function* ({ resourceSpans }: Trace): Generator<Span> {
  for (const { instrumentationLibrarySpans } of resourceSpans)
    for (const { spans } of instrumentationLibrarySpans) yield* spans
}

const listAccounts = ({ attributes }: Span): string[] =>
  attributes.flatMap(({ key, value }) => (key === 'accountSid' ? [Object.values(value).join()] : []))

/** Returns the root span id of each span. Takes linear time, even if spans form a cycle of parents. */
const findRoots = (trace: Trace): Map<string, string> => {
  const parents = new Map<string, string>()
  for (const { spanId, parentSpanId } of listSpans(trace)) parents.set(spanId, parentSpanId)
  const roots = new Map<string, string>()
  for (const start of parents.keys()) {
    const path: string[] = []
    const onPath = new Set<string>()
    let at = start
    for (;;) {
      const knownRoot = roots.get(at)
      const parent = parents.get(at)
      if (knownRoot !== undefined || onPath.has(at) || parent === undefined || !parents.has(parent)) {
        const root = knownRoot ?? at
        for (const id of [...path, at]) roots.set(id, root)
        break
      }
      path.push(at)
      onPath.add(at)
      at = parent
    }
  }
  return roots
}

/** Returns the accounts that a trace names, grouped by root span. */
export const findNamedAccounts = (trace: Trace): NamedAccounts => {
  const roots = findRoots(trace)
  const getRootId = ({ spanId }: Span) => roots.get(spanId) ?? spanId
  const byTop = new Map<string, Set<string>>()
  const all = new Set<string>()
  for (const span of listSpans(trace)) {
    const root = getRootId(span)
    for (const account_sid of listAccounts(span)) {
      if (all.size <= maxAccounts) all.add(account_sid)
      const accounts = byTop.get(root) ?? new Set()
      if (accounts.size <= maxAccounts) accounts.add(account_sid)
      byTop.set(root, accounts)
    }
  }
  return { byRoot: byTop, all, getRootId }
}

/** Returns the spans of a trace that `isVisible` accepts, or undefined if there are none. */
export const filterTrace = (trace: Trace, isVisible: (span: Span) => boolean): Trace | undefined => {
  const resourceSpans = trace.resourceSpans.flatMap((group) => {
    const scopes = group.instrumentationLibrarySpans.flatMap((scope) => {
      const spans = scope.spans.filter(isVisible)
      return spans.length === 0 ? [] : [{ ...scope, spans }]
    })
    return scopes.length === 0 ? [] : [{ ...group, instrumentationLibrarySpans: scopes }]
  })
  return resourceSpans.length === 0 ? undefined : { ...trace, resourceSpans }
}

export interface TraceOwner {
  /** Returns whether an account belongs to the owner. */
  isOwn(account_sid: string): Promise<boolean>
  /** Whether the owner has call records with the id of the trace. */
  hasCall: boolean
  /** Returns whether other tenants have call records with the id of the trace. */
  isShared(): Promise<boolean>
}

/** Returns the spans of a trace that belong to an owner, or undefined if there are none. */
export const filterOwnSpans = async (trace: Trace, owner: TraceOwner): Promise<Trace | undefined> => {
  const { byRoot: byTop, all, getRootId } = findNamedAccounts(trace)
  if (all.size > maxAccounts) return undefined
  const own = new Set<string>()
  for (const account_sid of all) if (await owner.isOwn(account_sid)) own.add(account_sid)
  const isOwnTrace = own.size === all.size && (all.size > 0 || owner.hasCall)
  const showsUnnamed = isOwnTrace && !(await owner.isShared())
  return filterTrace(trace, (span) => {
    const named = byTop.get(getRootId(span))
    return named === undefined ? showsUnnamed : [...named].every((account_sid) => own.has(account_sid))
  })
}
