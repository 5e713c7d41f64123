import type { Conversation, ConversationEvent, Turn } from '@patchbay/contract/conversations'
import { getGapSpeed } from '@patchbay/rules/conversations/gap-speed'
import { getSideText } from '../../../ui/format/speaker-label.ts'
import { durationText } from '../trace/spans.ts'
import { type ConversationItem, getTime } from './conversation-items.ts'

/** Finds the moments of a conversation that are worth a look. Pure. */

/** Recognition with a lower confidence often contains wrong words. */
const minConfidence = 0.6

export const hasLowConfidence = ({ confidence }: Pick<Turn, 'confidence'>): boolean =>
  confidence !== null && confidence < minConfidence

export const confidenceText = (confidence: number): string => `${Math.round(confidence * 100)} %`

/** Formats whole milliseconds, such as 350ms or 1.62s. */
export const millisecondsText = (milliseconds: number): string =>
  milliseconds === 0 ? '0ms' : durationText(milliseconds)

export const findingLabels = {
  slow_response: 'Slow response',
  interruption: 'Interruption',
  silence: 'Long silence',
  no_input: 'No input',
  error: 'Error',
  failed_tool_call: 'Failed tool call',
  low_confidence: 'Low confidence',
} as const

export type FindingKind = keyof typeof findingLabels

export interface Finding {
  kind: FindingKind
  /** The key of its item. */
  item: string
  at_ms: number
  /** Can be empty. */
  detail: string
}

type Found = Pick<Finding, 'kind' | 'at_ms' | 'detail'>

type Direction = Conversation['direction']

const inTurn = (turn: Turn, direction: Direction): Found[] => {
  const { gap, interruption, confidence, start_ms } = turn
  return [
    ...(gap !== null && getGapSpeed(gap.duration_ms) !== 'normal'
      ? [{ kind: 'slow_response' as const, at_ms: gap.start_ms, detail: millisecondsText(gap.duration_ms) }]
      : []),
    ...(interruption === null
      ? []
      : [
          {
            kind: 'interruption' as const,
            at_ms: interruption.at_ms,
            detail: `by ${getSideText(interruption.by, direction)}`,
          },
        ]),
    ...(confidence !== null && hasLowConfidence(turn)
      ? [{ kind: 'low_confidence' as const, at_ms: start_ms, detail: confidenceText(confidence) }]
      : []),
  ]
}

const inEvent = ({ kind, at_ms, detail, error }: ConversationEvent): Found[] => {
  if (error !== undefined) return [{ kind: 'failed_tool_call', at_ms, detail }]
  return kind === 'error' || kind === 'no_input' ? [{ kind, at_ms, detail }] : []
}

const inItem = (item: ConversationItem, direction: Direction): Found[] => {
  if (item.kind === 'turn') return inTurn(item.turn, direction)
  if (item.kind === 'event') return inEvent(item.event)
  return [{ kind: 'silence', at_ms: getTime(item), detail: millisecondsText(item.duration_ms) }]
}

/**
 * Returns the findings in chronological order.
 * @param direction that of the conversation
 */
export const findFindings = (items: readonly ConversationItem[], direction: Direction): readonly Finding[] =>
  items
    .flatMap((item) => inItem(item, direction).map((found) => ({ ...found, item: item.key })))
    .toSorted((a, b) => a.at_ms - b.at_ms)

/** Returns the number of response gaps, their median, and their maximum, or undefined without gaps. */
export const summarizeGaps = (
  turns: Conversation['turns'],
): { count: number; medianMs: number; slowestMs: number } | undefined => {
  const durations = turns.flatMap(({ gap }) => (gap === null ? [] : [gap.duration_ms])).toSorted((a, b) => a - b)
  const [lower, upper] = [durations[(durations.length - 1) >> 1], durations[durations.length >> 1]]
  const slowestMs = durations.at(-1)
  if (lower === undefined || upper === undefined || slowestMs === undefined) return undefined
  return { count: durations.length, medianMs: Math.round((lower + upper) / 2), slowestMs }
}
