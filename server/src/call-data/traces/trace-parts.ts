import { gzipJson } from '../../database/gzip-json.ts'
import { delaysIn } from './post-dial-delay.ts'
import type { ResourceSpans, TracePart } from './traces.ts'

/** Bounds of a part, so that reading one takes a few milliseconds. A single span may be larger. */
const maxSpansPerPart = 1000
const maxCharactersPerPart = 512 * 1024

const spansIn = (resourceSpans: readonly ResourceSpans[]): number =>
  resourceSpans
    .flatMap(({ instrumentationLibrarySpans }) => instrumentationLibrarySpans)
    .reduce((sum, { spans }) => sum + spans.length, 0)

/** Divides the spans of a trace into lists that are stored one by one. */
function* divided(all: readonly ResourceSpans[]): Generator<ResourceSpans[]> {
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

/** Returns the account that a span names, as the first span of a call of the feature server does. */
const accountIn = (resourceSpans: readonly ResourceSpans[]): string | undefined => {
  for (const { instrumentationLibrarySpans } of resourceSpans)
    for (const { spans } of instrumentationLibrarySpans)
      for (const { attributes } of spans)
        for (const { key, value } of attributes)
          if (key === 'accountSid' && 'stringValue' in value && value.stringValue) return value.stringValue
  return undefined
}

/** Packs the spans of a trace into parts. */
export async function* toTraceParts(
  trace_id: string,
  resourceSpans: readonly ResourceSpans[],
): AsyncGenerator<TracePart> {
  const account_sid = accountIn(resourceSpans)
  for (const list of divided(resourceSpans))
    yield {
      trace_id,
      ...(await gzipJson(list)),
      spans: spansIn(list),
      delays: delaysIn(list),
      ...(account_sid === undefined ? {} : { account_sid }),
    }
}
