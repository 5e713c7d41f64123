import { groupBy } from '@patchbay/rules/lib/groups'
import { durationMs, nanosecondsOfMillisecond, type Wait } from '@patchbay/rules/traces/trace-waits'
import type { Span } from '@patchbay/rules/traces/traces'

/** Prepares the spans of a call for the timeline. */

/** Formats a duration in milliseconds (CALLS-20): 0.35ms, 350ms, 3.50s, 2m 5s. */
export const durationText = (milliseconds: number): string => {
  if (milliseconds < 1) return `${milliseconds.toFixed(2)}ms`
  if (milliseconds < 999.5) return `${Math.round(milliseconds)}ms`
  const seconds = milliseconds / 1000
  if (seconds < 59.995) return `${seconds.toFixed(2)}s`
  const whole = Math.round(seconds)
  return `${Math.floor(whole / 60)}m ${whole % 60}s`
}

const maxNameLength = 36

export const shortName = (name: string): string =>
  name.length > maxNameLength ? `${name.slice(0, maxNameLength)}...` : name

/** Returns whether an attribute is shown. OpenTelemetry's own attributes say nothing about the call. */
export const isVisibleAttribute = (key: string): boolean => !key.startsWith('telemetry') && !key.startsWith('internal')

/**
 * Returns the part of a span in which the caller waited. For recognition, it is the end of the span, after the speech.
 * For webhooks and synthesis, it is the beginning.
 */
export const waitedPart = (span: Span, wait: Wait): Pick<Span, 'start' | 'end'> => {
  const length = BigInt(Math.round(Math.min(wait.milliseconds, durationMs(span)) * nanosecondsOfMillisecond))
  return wait.kind === 'recognition'
    ? { start: span.end - length, end: span.end }
    : { start: span.start, end: span.start + length }
}

/** A span and its level in the tree. Each node follows its parent in the list. */
export interface TreeNode {
  span: Span
  /** Starts at 1. */
  level: number
  hasParts: boolean
}

const groupByParent = (spans: readonly Span[]): Map<string | null, Span[]> => {
  const ids = new Set(spans.map(({ id }) => id))
  return groupBy(spans, ({ parent }) => (parent !== null && ids.has(parent) ? parent : null))
}

/** Returns the spans in tree order. Siblings keep their order, and a span with a missing parent becomes a root. */
export const toTreeNodes = (spans: readonly Span[]): TreeNode[] => {
  const parts = groupByParent(spans)
  const nodes: TreeNode[] = []
  const waiting = (parts.get(null) ?? []).toReversed().map((span) => ({ span, level: 1 }))
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { span, level } = next
    const below = parts.get(span.id) ?? []
    nodes.push({ span, level, hasParts: below.length > 0 })
    for (const part of below.toReversed()) waiting.push({ span: part, level: level + 1 })
  }
  // Spans in a cycle of parents cannot be reached from a root, so they become roots too.
  const placedIds = new Set(nodes.map(({ span }) => span.id))
  const unreachable = spans.filter(({ id }) => !placedIds.has(id)).map((span) => ({ span, level: 1, hasParts: false }))
  return [...nodes, ...unreachable]
}

const mentions = ({ name, attributes }: Span, text: string): boolean =>
  name.toLowerCase().includes(text) ||
  attributes.some(({ key, value }) => isVisibleAttribute(key) && `${key} ${String(value)}`.toLowerCase().includes(text))

export interface TraceRow extends TreeNode {
  isOpen: boolean
}

/** Returns the nodes that contain the text, and their ancestors. */
const filterNodes = (nodes: readonly TreeNode[], text: string): TreeNode[] => {
  const matches: TreeNode[] = []
  let above = 0
  for (const node of nodes.toReversed()) {
    if (node.level !== above && !mentions(node.span, text)) continue
    matches.push(node)
    above = node.level - 1
  }
  return matches.toReversed()
}

/** Returns the visible rows: those outside folded nodes, or the matches of the filter with their ancestors. */
export const toVisibleRows = (nodes: readonly TreeNode[], folded: ReadonlySet<string>, filter = ''): TraceRow[] => {
  const text = filter.trim().toLowerCase()
  if (text !== '') return filterNodes(nodes, text).map((node) => ({ ...node, isOpen: true }))
  const rows: TraceRow[] = []
  let foldedAt = Number.POSITIVE_INFINITY
  for (const node of nodes) {
    if (node.level > foldedAt) continue
    const isOpen = !folded.has(node.span.id)
    foldedAt = isOpen ? Number.POSITIVE_INFINITY : node.level
    rows.push({ ...node, isOpen })
  }
  return rows
}

/** Time range of a trace, in nanoseconds since the Unix epoch. */
export interface Extent {
  start: bigint
  end: bigint
}

export const toExtent = (spans: readonly Span[]): Extent => {
  let [start, end] = [spans[0]?.start ?? 0n, spans[0]?.end ?? 0n]
  for (const span of spans) {
    if (span.start < start) start = span.start
    if (span.end > end) end = span.end
  }
  return { start, end }
}

/** Minimum length of a bar in milliseconds (CALLS-22). */
const minBarMs = 50

/** Returns the position and the length of a bar as fractions of the whole range. */
export const toBarPosition = (span: Pick<Span, 'start' | 'end'>, whole: Extent): { from: number; length: number } => {
  const all = Math.max(durationMs(whole), minBarMs)
  const length = Math.min(1, Math.max(durationMs(span), minBarMs) / all)
  const from = durationMs({ start: whole.start, end: span.start }) / all
  return { from: Math.min(from, 1 - length), length }
}

const steps = [1, 2, 5]

/** Returns the marks of the time axis in milliseconds: 0 and at most `max` more at even steps. */
export const toTicks = (whole: Extent, max = 6): number[] => {
  const all = durationMs(whole)
  let step = 1
  for (let power = 1; all / step > max; power *= 10)
    for (const factor of steps) {
      step = factor * power
      if (all / step <= max) break
    }
  return Array.from({ length: Math.floor(all / step) + 1 }, (_, position) => position * step)
}
