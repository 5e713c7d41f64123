import type { ConversationItem } from './conversation-items.ts'
import type { Finding } from './findings.ts'
import type { ItemPosition } from './item-positions.ts'

interface StripMarksProps {
  /** Seconds of the recording. */
  duration: number
  items: readonly ConversationItem[]
  positions: readonly ItemPosition[]
  findings: readonly Finding[]
  /** Converts milliseconds of the conversation to seconds of the recording. */
  toPosition: (ms: number) => number
}

/** Marks turns and findings on the strip of the whole recording. The player, whose strip it is, has the styles. */
export const StripMarks = ({ duration, items, positions, findings, toPosition }: StripMarksProps) => {
  const speakers = new Map(items.map((item) => [item.key, item.kind === 'turn' ? item.turn.speaker : undefined]))
  const toPercent = (seconds: number) => `${(seconds / duration) * 100}%`
  return (
    <>
      {positions.map(({ key, from, until }) => (
        <i
          key={key}
          data-mark={speakers.get(key)}
          style={{ insetInlineStart: toPercent(from), inlineSize: toPercent(until - from) }}
        />
      ))}
      {findings.map(({ item, kind, at_ms }) => (
        <i
          key={`${item} ${kind}`}
          data-mark="finding"
          style={{ insetInlineStart: toPercent(Math.min(duration, Math.max(0, toPosition(at_ms)))) }}
        />
      ))}
    </>
  )
}
