import { setImmediate as nextTick } from 'node:timers/promises'
import type { ResourceSpans } from '@patchbay/contract/call-traces'
import type { MaskableItems } from './mask-items.ts'

/** Divides call data into small parts, so that providers take turns often while their patterns are applied. */

/** Characters of the items of a part. With 20 patterns, a part takes about 16 ms. */
const sliceCharacters = 16 * 1024
const spansPerPiece = 16

/** Milliseconds after which other requests run. */
const sliceMs = 10

/** Runs a function for each item, and lets other requests run in between. */
export const forEachInSlices = async <Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  run: (item: Item) => void,
): Promise<void> => {
  let startedAt = performance.now()
  for await (const item of items) {
    run(item)
    if (performance.now() - startedAt < sliceMs) continue
    await nextTick()
    startedAt = performance.now()
  }
}

/** Returns resources with a few spans each, and a function that puts the masked pieces together. */
const splitSpans = ({ resource, instrumentationLibrarySpans: scopes }: ResourceSpans): ResourceSpans[] => {
  const pieces = scopes.flatMap(({ instrumentationLibrary, spans }) => {
    const starts = Array.from(
      { length: Math.max(1, Math.ceil(spans.length / spansPerPiece)) },
      (_, at) => at * spansPerPiece,
    )
    return starts.map((start) => ({ instrumentationLibrary, spans: spans.slice(start, start + spansPerPiece) }))
  })
  return [
    { resource, instrumentationLibrarySpans: [] },
    ...pieces.map((piece) => ({ resource: { attributes: [] }, instrumentationLibrarySpans: [piece] })),
  ]
}

const joinSpans = (original: ResourceSpans, [first, ...pieces]: readonly ResourceSpans[]): ResourceSpans => {
  let at = 0
  const instrumentationLibrarySpans = original.instrumentationLibrarySpans.map(({ instrumentationLibrary, spans }) => {
    const count = Math.max(1, Math.ceil(spans.length / spansPerPiece))
    const own = pieces.slice(at, at + count)
    at += count
    return {
      instrumentationLibrary,
      spans: own.flatMap((piece) => piece.instrumentationLibrarySpans.flatMap((scope) => scope.spans)),
    }
  })
  return { resource: first?.resource ?? { attributes: [] }, instrumentationLibrarySpans }
}

/** Masks resources in small pieces. */
export const maskSpansInPieces = async (
  all: readonly ResourceSpans[],
  mask: (pieces: readonly ResourceSpans[]) => Promise<ResourceSpans[]>,
): Promise<ResourceSpans[]> => {
  const split = all.map((one) => splitSpans(one))
  const masked = await mask(split.flat())
  let at = 0
  return all.map((one, index) => {
    const count = split[index]?.length ?? 0
    at += count
    return joinSpans(one, masked.slice(at - count, at))
  })
}

/** Returns the characters of each item as JSON. */
export const measureItems = (items: readonly unknown[]): number[] => items.map((item) => JSON.stringify(item).length)

/** Yields the items in parts of limited size. An item that is larger is a part of its own. */
export function* toSlices<K extends keyof MaskableItems>(
  items: readonly MaskableItems[K][],
  sizes: readonly number[],
): Generator<MaskableItems[K][]> {
  let slice: MaskableItems[K][] = []
  let characters = 0
  for (const [at, item] of items.entries()) {
    const size = sizes[at] ?? 0
    if (slice.length > 0 && characters + size > sliceCharacters) {
      yield slice
      slice = []
      characters = 0
    }
    slice.push(item)
    characters += size
  }
  if (slice.length > 0) yield slice
}
