import type { ResourceSpans } from '@patchbay/contract/call-traces'
import { gzipJson } from '../../database/gzip-json.ts'
import { extractDelays } from './post-dial-delay.ts'
import { findNamedCalls } from './trace-links.ts'
import type { TracePart, TraceSink } from './traces.ts'

/** Limits of a part, so that reading one takes a few milliseconds. A single span may exceed them. */
const maxSpansPerPart = 1000
const maxCharactersPerPart = 512 * 1024

/** Returns the number of spans. */
export const countSpans = (resourceSpans: readonly ResourceSpans[]): number =>
  resourceSpans
    .flatMap(({ instrumentationLibrarySpans }) => instrumentationLibrarySpans)
    .reduce((sum, { spans }) => sum + spans.length, 0)

/** Divides the spans of a trace into lists within the limits of a part. */
function* divideSpans(all: readonly ResourceSpans[]): Generator<ResourceSpans[]> {
  let list: ResourceSpans[] = []
  let [spans, characters] = [0, 0]
  for (const { resource, instrumentationLibrarySpans } of all) {
    const resourceLength = JSON.stringify(resource).length
    for (const { instrumentationLibrary, spans: own } of instrumentationLibrarySpans) {
      let current: typeof own | undefined
      for (const span of own) {
        const length = JSON.stringify(span).length
        if (spans > 0 && (spans >= maxSpansPerPart || characters + length > maxCharactersPerPart)) {
          yield list
          list = []
          current = undefined
          spans = 0
          characters = 0
        }
        if (current === undefined) {
          current = []
          list.push({ resource, instrumentationLibrarySpans: [{ instrumentationLibrary, spans: current }] })
          characters += resourceLength
        }
        current.push(span)
        spans += 1
        characters += length
      }
    }
  }
  if (list.length > 0) yield list
}

/** Returns the first account that a span names, as the root span of a call from the feature server does. */
export const findAccount = (resourceSpans: readonly ResourceSpans[]): string | undefined => {
  for (const { instrumentationLibrarySpans } of resourceSpans)
    for (const { spans } of instrumentationLibrarySpans)
      for (const { attributes } of spans)
        for (const { key, value } of attributes)
          if (key === 'accountSid' && 'stringValue' in value && value.stringValue) return value.stringValue
  return undefined
}

/**
 * Compresses the spans of a trace into parts.
 * @param callAttributes names of the attributes that name a call
 */
export async function* toTraceParts(
  trace_id: string,
  resourceSpans: readonly ResourceSpans[],
  callAttributes: ReadonlySet<string> = new Set(),
): AsyncGenerator<TracePart> {
  const account_sid = findAccount(resourceSpans)
  for (const list of divideSpans(resourceSpans))
    yield {
      trace_id,
      ...(await gzipJson(list)),
      spans: countSpans(list),
      delays: extractDelays(list),
      calls: findNamedCalls(list, callAttributes),
      ...(account_sid === undefined ? {} : { account_sid }),
    }
}

/** Compresses and stores the spans of a trace. */
export const storeSpans = async (
  sink: TraceSink,
  trace_id: string,
  resourceSpans: readonly ResourceSpans[],
): Promise<void> => {
  for await (const part of toTraceParts(trace_id, resourceSpans)) await sink.storeParts([part])
}
