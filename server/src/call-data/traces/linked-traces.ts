import type { ResourceSpans, Trace } from '@patchbay/contract/call-traces'
import type { Call } from '@patchbay/contract/recent-calls'
import type { Calls } from '../calls/calls.ts'
import { type CallClaims, findClaimsOfCall, isClaimed } from '../calls/claims.ts'
import { allTime } from '../calls/search-options.ts'
import type { Masking } from '../masking/masking.ts'
import { maskTrace } from './read-own-trace.ts'
import { filterTrace, findNamedAccounts } from './trace-access.ts'
import { listCallIds, type TraceLinks } from './trace-links.ts'
import type { Traces } from './traces.ts'

/**
 * Reads the traces of other programs that name a call. Programs of all tenants write to the same intake, and callers
 * choose the Call-ID, so a trace is shown for a call only if
 * - it names no other account, and no other tenant has a call with its trace ID, and
 * - no other tenant had a call with this `call_sid`, or with this Call-ID at the time of the span that names it.
 */

interface LinkSources {
  calls: Calls
  traces: Traces
  traceLinks: TraceLinks
  /** Names of the attributes that name a call. */
  callAttributes: ReadonlySet<string>
  masking: Masking
}

/** Limits for all linked traces of a call together. */
const readLimits = { spans: 5000, characters: 8 * 1024 * 1024 }

type Span = ResourceSpans['instrumentationLibrarySpans'][number]['spans'][number]

const isLinkedBy = (id: string, atMs: number, { call, bySid, byCallId }: CallClaims): boolean => {
  if (id === call.call_sid && bySid !== undefined) return bySid.foreign.length === 0 || isClaimed(bySid, atMs)
  return id === call.sip_callid && byCallId !== undefined && isClaimed(byCallId, atMs)
}

const getStartMs = ({ startTimeUnixNano }: Span): number => Number(BigInt(startTimeUnixNano) / 1_000_000n)

/** Returns the spans below the roots of those that name the call, or undefined if there are none. */
const filterLinkedSpans = (trace: Trace, claims: CallClaims, names: ReadonlySet<string>): Trace | undefined => {
  const { all: accounts, getRootId } = findNamedAccounts(trace)
  if ([...accounts].some((account_sid) => account_sid !== claims.call.account_sid)) return undefined
  const roots = new Set<string>()
  for (const { resource, instrumentationLibrarySpans } of trace.resourceSpans) {
    const ofResource = listCallIds(resource.attributes, names)
    for (const { spans } of instrumentationLibrarySpans)
      for (const span of spans) {
        const ids = [...ofResource, ...listCallIds(span.attributes, names)]
        if (ids.some((id) => isLinkedBy(id, getStartMs(span), claims))) roots.add(getRootId(span))
      }
  }
  return filterTrace(trace, (span) => roots.has(getRootId(span)))
}

const countSpans = ({ resourceSpans }: Trace): number =>
  resourceSpans
    .flatMap(({ instrumentationLibrarySpans }) => instrumentationLibrarySpans)
    .reduce((sum, { spans }) => sum + spans.length, 0)

/**
 * Returns the spans of other traces that belong to a call, with masked texts.
 * @param legs the account's calls with the same `call_sid`
 */
export const readLinkedTraces = async (
  { calls, traces, traceLinks, callAttributes, masking }: LinkSources,
  call: Call,
  legs: readonly Call[],
): Promise<Trace> => {
  const owner = { account_sid: call.account_sid }
  const { call_sid, sip_callid } = call
  const linked = await traceLinks.find([call_sid, sip_callid].filter((id) => id !== null))
  const trace_ids = linked.filter((trace_id) => trace_id !== call.trace_id?.toLowerCase())
  if (trace_ids.length === 0) return { resourceSpans: [] }
  const [claims, foreignCalls] = await Promise.all([
    findClaimsOfCall(calls, call, legs),
    calls.findForeign(
      owner,
      trace_ids.map((trace_id) => ({ trace_id })),
      allTime,
    ),
  ])
  const ownTraceIds = trace_ids.filter((_, position) => foreignCalls[position]?.length === 0)
  const resourceSpans: ResourceSpans[] = []
  let [spans, characters] = [0, 0]
  for (const trace_id of ownTraceIds) {
    const trace = await traces.read(trace_id)
    if (trace === undefined) continue
    const own = filterLinkedSpans(trace, claims, callAttributes)
    if (own === undefined) continue
    resourceSpans.push(...own.resourceSpans)
    spans += countSpans(own)
    characters += JSON.stringify(own).length
    if (trace.is_cut || spans >= readLimits.spans || characters >= readLimits.characters)
      return maskTrace(masking, owner, { resourceSpans, is_cut: true, cut_at: 'end' })
  }
  return maskTrace(masking, owner, { resourceSpans })
}
