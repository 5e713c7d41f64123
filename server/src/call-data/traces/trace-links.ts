import type { ResourceSpans } from '@patchbay/contract/call-traces'
import type { Transaction } from 'kysely'
import { type Database, type EngineName, insertIgnoringDuplicates } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { TracePart } from './traces.ts'

/**
 * Links traces of other programs, such as agent frameworks, with calls. The trace has a trace ID of its own, and an
 * attribute with the `call_sid` or the SIP Call-ID of the call.
 */

export interface TraceLinks {
  /** Returns the IDs of the first traces that name one of these calls, oldest first. */
  find(call_ids: readonly string[]): Promise<string[]>
}

/** A framework can start a trace for each turn. Further traces are not shown. */
export const maxLinkedTraces = 100

/** Calls that a part of a trace can name. It normally names one. */
const maxCallsPerPart = 10
const maxIdLength = 255

type Attributes = ResourceSpans['resource']['attributes']

/** Returns the texts of attributes with these names. */
export const listCallIds = (attributes: Attributes, names: ReadonlySet<string>): string[] =>
  attributes.flatMap(({ key, value }) =>
    names.has(key) && 'stringValue' in value && value.stringValue !== '' && value.stringValue.length <= maxIdLength
      ? [value.stringValue]
      : [],
  )

/** Returns the calls that spans, or their resources, name. */
export const findNamedCalls = (all: readonly ResourceSpans[], names: ReadonlySet<string>): string[] => {
  const calls = new Set<string>()
  if (names.size === 0) return []
  const add = (attributes: Attributes) => {
    for (const id of listCallIds(attributes, names)) if (calls.size < maxCallsPerPart) calls.add(id)
  }
  for (const { resource, instrumentationLibrarySpans } of all) {
    add(resource.attributes)
    for (const { spans } of instrumentationLibrarySpans) for (const { attributes } of spans) add(attributes)
  }
  return [...calls]
}

/** Stores the calls that parts of traces name. A link that is already stored is kept. */
export const storeTraceLinks = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  parts: readonly TracePart[],
  received_at: number,
): Promise<void> => {
  const links = parts.flatMap(({ trace_id, calls }) => calls.map((call_id) => ({ call_id, trace_id, received_at })))
  if (links.length > 0) await insertIgnoringDuplicates(trx, engine, 'patchbay_trace_links', links)
}

/** Creates the lookup of links that `storeTraceLinks` has stored. */
export const createSqlTraceLinks = ({ reader }: Database): TraceLinks => ({
  async find(call_ids) {
    if (call_ids.length === 0) return []
    const rows = await reader
      .selectFrom('patchbay_trace_links')
      .select('trace_id')
      .where('call_id', 'in', call_ids)
      .orderBy('received_at')
      .orderBy('trace_id')
      .limit(maxLinkedTraces)
      .execute()
    return [...new Set(rows.map(({ trace_id }) => trace_id))]
  },
})

/** Returns those of the call_sids and Call-IDs that a stored trace names. */
export const findLinkedCallIds = async ({ db }: Database, call_ids: readonly string[]): Promise<readonly string[]> => {
  if (call_ids.length === 0) return []
  const links = db.selectFrom('patchbay_trace_links').select('call_id').distinct()
  return (await links.where('call_id', 'in', call_ids).execute()).map(({ call_id }) => call_id)
}
