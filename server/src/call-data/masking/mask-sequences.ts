import type { ResourceSpans } from '@patchbay/contract/call-traces'
import type { AgentEventContent } from '@patchbay/contract/conversation-events'
import { maskCardSequence } from './card-numbers.ts'
import {
  keypadNames,
  type Leaf,
  type LeafContext,
  maskDigits,
  toLeafText,
  type Visitor,
  visitLeaves,
} from './mask-values.ts'
import { forEachInSlices } from './slices.ts'
import { canContainDigits } from './spoken-digits.ts'

/**
 * Masks card numbers that are spread over several texts of a call: over the turns of a speaker, the words of a recognition,
 * or the keys that a caller presses. Texts in members of the same name, of the same kind of event or span, and of the same
 * speaker are a sequence.
 */

/** Members with speech. Lists of other texts, such as prices, would contain card numbers by chance. */
const speechNames = /(?:transcript|text|response|utterance|speech|words?|content|messages?|delta|prompt|input|output)$/i

const keypadText = /^[\d*#]{1,32}$/

/** Stands for a text without digits, which ends a number. */
const noDigits = '¦'

interface Sequence {
  isKeypad: boolean
  parts: string[]
}

const findKind = (text: string, { name }: LeafContext): 'speech' | 'keypad' | undefined => {
  if (keypadNames.test(name) && keypadText.test(text)) return 'keypad'
  return speechNames.test(name) ? 'speech' : undefined
}

const toKey = (text: string, context: LeafContext): { key: string; isKeypad: boolean } | undefined => {
  const kind = findKind(text, context)
  return kind === undefined
    ? undefined
    : { key: `${kind} ${context.role} ${context.path}`, isKeypad: kind === 'keypad' }
}

type VisitItem<Item> = (item: Item, visitor: Visitor) => Item

/** Returns the texts of each sequence whose texts are masked. */
const findMasked = async <Item>(items: readonly Item[], visit: VisitItem<Item>) => {
  const sequences = new Map<string, Sequence>()
  const collect = (value: Leaf, context: LeafContext): Leaf => {
    const text = toLeafText(value)
    const found = toKey(text, context)
    if (found === undefined) return value
    const sequence = sequences.get(found.key) ?? { isKeypad: found.isKeypad, parts: [] }
    sequences.set(found.key, sequence)
    sequence.parts.push(canContainDigits(text, 1) ? text : noDigits)
    return value
  }
  await forEachInSlices(items, (item) => void visit(item, { leaf: collect }))
  const masked = new Map<string, readonly (string | undefined)[]>()
  for (const [key, { isKeypad, parts }] of sequences) {
    const maskedParts = maskCardSequence(parts)
    const changed = maskedParts.map((text, at) => {
      if (text === parts[at]) return undefined
      return isKeypad ? maskDigits(parts[at] ?? '') : text
    })
    if (changed.some((text) => text !== undefined)) masked.set(key, changed)
  }
  return masked
}

const maskSequences = async <Item>(items: readonly Item[], visit: VisitItem<Item>): Promise<Item[]> => {
  const masked = await findMasked(items, visit)
  if (masked.size === 0) return [...items]
  const positions = new Map<string, number>()
  const replace = (value: Leaf, context: LeafContext): Leaf => {
    const key = toKey(toLeafText(value), context)?.key
    if (key === undefined) return value
    const at = positions.get(key) ?? 0
    positions.set(key, at + 1)
    return masked.get(key)?.[at] ?? value
  }
  const replaced: Item[] = []
  await forEachInSlices(items, (item) => void replaced.push(visit(item, { leaf: replace })))
  return replaced
}

/** Names of members with the kind of an event. */
const kindNames = ['type', 'event_type', 'event', 'verb'] as const

const getKind = (event: AgentEventContent): string => {
  const kind = kindNames.map((name) => event[name]).find((value) => typeof value === 'string')
  return typeof kind === 'string' ? kind : ''
}

/** Masks the events of an agent, which are in their order. */
export const maskEventSequences = (events: readonly AgentEventContent[]): Promise<AgentEventContent[]> =>
  // Visiting an object returns an object.
  maskSequences(events, (event, visitor) => visitLeaves(event, visitor, getKind(event)) as AgentEventContent)

/** Masks the lines of a log, which are in their order. Only lines with JSON have members. */
export const maskLineSequences = (lines: readonly string[]): Promise<string[]> =>
  maskSequences(lines, (line, visitor) => visitLeaves(line, visitor) as string)

type Span = ResourceSpans['instrumentationLibrarySpans'][number]['spans'][number]

const digitSpan = 'dtmf:'

/** Returns the channel of a recognition: both speakers of a call can be recognized. */
const getChannel = ({ attributes }: Span): string => {
  const channel = attributes.find(({ key }) => key === 'channel')?.value
  return channel === undefined ? '' : JSON.stringify(channel)
}

const visitSpan = (span: Span, visitor: Visitor): Span => {
  const role = getChannel(span)
  const attributes = span.attributes.map((attribute) => {
    const { key, value } = attribute
    if (!('stringValue' in value)) return attribute
    const stringValue = visitLeaves(value.stringValue, visitor, key, role) as string
    return stringValue === value.stringValue ? attribute : { key, value: { stringValue } }
  })
  if (!span.name.startsWith(digitSpan)) return { ...span, attributes }
  const digit = visitLeaves(span.name.slice(digitSpan.length), visitor, 'dtmf', `name ${role}`) as string
  return { ...span, name: `${digitSpan}${digit}`, attributes }
}

const compareStart = (one: Span, other: Span): number => {
  const [a, b] = [BigInt(one.startTimeUnixNano), BigInt(other.startTimeUnixNano)]
  return a < b ? -1 : a > b ? 1 : 0
}

/** Masks the spans of a trace. Their order in time is that of a sequence. */
export const maskSpanSequences = async (all: readonly ResourceSpans[]): Promise<ResourceSpans[]> => {
  const spans = all
    .flatMap((one) => one.instrumentationLibrarySpans.flatMap((scope) => scope.spans))
    .toSorted(compareStart)
  const masked = await maskSequences(spans, visitSpan)
  const replaced = new Map(spans.map((span, at) => [span, masked[at] ?? span]))
  return all.map(({ resource, instrumentationLibrarySpans }) => ({
    resource,
    instrumentationLibrarySpans: instrumentationLibrarySpans.map(({ instrumentationLibrary, spans: own }) => ({
      instrumentationLibrary,
      spans: own.map((span) => replaced.get(span) ?? span),
    })),
  }))
}
