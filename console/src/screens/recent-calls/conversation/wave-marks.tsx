import type { Conversation, MutedRange } from '@patchbay/contract/conversations'
import { gapPartLabels } from '@patchbay/contract/conversations/figures'
import { getGapSpeed } from '@patchbay/rules/conversations/gap-speed'
import { pixelsPerSecond, wavePixels } from '@patchbay/rules/recordings/recordings'
import { type CSSProperties, useEffect, useState } from 'react'
import { classes } from '../../../ui/classes.ts'
import { getSideText, getSpeakerLabel } from '../../../ui/format/speaker-label.ts'
import type { LinkedPlayer } from '../recording/player-link.ts'
import type { ConversationItem } from './conversation-items.ts'
import { millisecondsText } from './findings.ts'
import type { ItemPosition } from './item-positions.ts'
import { getEventLabel, getTurnText, isFailure } from './item-row.tsx'
import { gapPartClass } from './response-gap.tsx'
import styles from './wave-marks.module.css'

/** The visible part moves in steps of this many pixels, so that few scroll events render. */
const stepPixels = 1000

/** Returns the seconds of the recording that are near the visible part of the waveform. */
const useVisibleSeconds = (overlay: HTMLElement): { from: number; until: number } => {
  const [step, setStep] = useState(0)
  useEffect(() => {
    const look = () => setStep(Math.floor(-overlay.getBoundingClientRect().left / stepPixels))
    look()
    addEventListener('scroll', look, { capture: true, passive: true })
    return () => removeEventListener('scroll', look, { capture: true })
  }, [overlay])
  const from = (step - 1) * stepPixels
  return { from: from / pixelsPerSecond, until: (from + window.innerWidth + 3 * stepPixels) / pixelsPerSecond }
}

const toMarkStyle = (from: number, until: number, channel: number): CSSProperties => ({
  insetInlineStart: `${from * pixelsPerSecond}px`,
  inlineSize: `${Math.max(0, until - from) * pixelsPerSecond}px`,
  insetBlockStart: `${channel * wavePixels}px`,
})

interface MarkProps {
  /** The direction of the conversation. */
  direction: Conversation['direction']
  item: ConversationItem
  position: ItemPosition | undefined
  /** Converts milliseconds of the conversation to seconds of the recording. */
  toPosition: (ms: number) => number
  /** The channel of the agent. A recording with one channel contains both sides. */
  agentChannel: number
  onSelect: (key: string) => void
}

const TurnMarks = ({ item, position, direction, toPosition, agentChannel, onSelect }: MarkProps) => {
  if (item.kind !== 'turn') return null
  const { speaker, gap, interruption } = item.turn
  const gapStart = gap && toPosition(gap.start_ms)
  return (
    <>
      {position && (
        <span
          title={`${getSpeakerLabel(item.turn, direction)}: ${getTurnText(item.turn)}`}
          className={classes(styles['turn'], styles[speaker])}
          style={toMarkStyle(position.from, position.until, speaker === 'caller' ? 0 : agentChannel)}
        />
      )}
      {gap && gapStart !== null && gap.duration_ms > 0 && (
        <button
          type="button"
          tabIndex={-1}
          title={gap.parts
            .map(
              ({ kind, duration_ms }) =>
                `${gapPartLabels[kind]}: ${duration_ms === null ? 'unknown' : millisecondsText(duration_ms)}`,
            )
            .join('\n')}
          aria-label={`Response gap ${millisecondsText(gap.duration_ms)}`}
          className={styles['gap']}
          style={toMarkStyle(gapStart, gapStart + gap.duration_ms / 1000, agentChannel)}
          onClick={() => onSelect(item.key)}
        >
          {gap.parts.map(({ kind, duration_ms }, part) => (
            <span
              // oxlint-disable-next-line react/no-array-index-key -- a gap can have several parts of a kind
              key={part}
              className={gapPartClass(kind)}
              style={{ inlineSize: `${((duration_ms ?? 0) / gap.duration_ms) * 100}%` }}
            />
          ))}
          {getGapSpeed(gap.duration_ms) !== 'normal' && (
            <span className={styles['label']}>{millisecondsText(gap.duration_ms)}</span>
          )}
        </button>
      )}
      {interruption && (
        <button
          type="button"
          tabIndex={-1}
          aria-label={`Interruption by ${getSideText(interruption.by, direction)}`}
          title={`Interruption by ${getSideText(interruption.by, direction)}`}
          className={styles['interruption']}
          style={{ insetInlineStart: `${toPosition(interruption.at_ms) * pixelsPerSecond}px` }}
          onClick={() => onSelect(item.key)}
        />
      )}
    </>
  )
}

const EventMark = ({ item, direction, toPosition, agentChannel, onSelect }: MarkProps) => {
  if (item.kind !== 'event') return null
  const { kind, at_ms, duration_ms, detail } = item.event
  const from = toPosition(at_ms)
  const isOfCaller = kind === 'dtmf' || kind === 'no_input'
  const label = getEventLabel(item.event)
  const speaker = detail === 'caller' ? 'caller' : 'agent'
  const about = kind === 'backchannel' ? getSpeakerLabel({ speaker }, direction) : detail
  const name = [label, about].filter(Boolean).join(': ')
  return (
    <button
      type="button"
      tabIndex={-1}
      aria-label={name}
      title={name}
      className={classes(styles['event'], isFailure(item.event) && styles['error'])}
      style={toMarkStyle(from, from + duration_ms / 1000, isOfCaller ? 0 : agentChannel)}
      onClick={() => onSelect(item.key)}
    >
      <span className={styles['label']}>{kind === 'dtmf' ? detail : label}</span>
    </button>
  )
}

const mutedReasons = {
  masked_text: 'the transcript is masked',
  pressed_digits: 'a digit was pressed',
  no_text: 'there is no transcript',
} as const satisfies Record<MutedRange['reason'], string>

const MutedMark = ({
  range,
  toPosition,
  agentChannel,
}: Pick<MarkProps, 'toPosition' | 'agentChannel'> & { range: MutedRange }) => {
  const { speaker, start_ms, end_ms, reason } = range
  return (
    <span
      role="img"
      aria-label={`Silent in muted recordings: ${mutedReasons[reason]}`}
      title={`Silent in muted recordings: ${mutedReasons[reason]}`}
      className={styles['muted']}
      style={toMarkStyle(toPosition(start_ms), toPosition(end_ms), speaker === 'caller' ? 0 : agentChannel)}
    />
  )
}

interface WaveMarksProps extends Pick<MarkProps, 'direction' | 'toPosition' | 'onSelect'> {
  player: LinkedPlayer
  items: readonly ConversationItem[]
  positions: readonly ItemPosition[]
  mutedRanges: readonly MutedRange[]
}

/** Returns the seconds of the recording that the marks of an item cover. */
const getExtent = (item: ConversationItem, toPosition: (ms: number) => number): { from: number; until: number } => {
  if (item.kind === 'turn') {
    const { gap, start_ms, end_ms } = item.turn
    return { from: toPosition(gap?.start_ms ?? start_ms), until: toPosition(end_ms) }
  }
  const [at, duration] =
    item.kind === 'event' ? [item.event.at_ms, item.event.duration_ms] : [item.start_ms, item.duration_ms]
  return { from: toPosition(at), until: toPosition(at + duration) }
}

/**
 * Draws turns, response gaps with their parts, interruptions, and events on the waveform, to scale. Only those near the
 * visible part are rendered.
 */
export const WaveMarks = ({
  player: { overlay, channels, duration },
  items,
  positions,
  mutedRanges,
  ...rest
}: WaveMarksProps) => {
  const visible = useVisibleSeconds(overlay)
  const byKey = new Map(positions.map((position) => [position.key, position]))
  const isVisible = ({ from, until }: { from: number; until: number }): boolean =>
    until >= Math.max(0, visible.from) && from <= Math.min(duration, visible.until)
  const visibleItems = items.filter((item) => isVisible(getExtent(item, rest.toPosition)))
  const visibleRanges = mutedRanges.filter(({ start_ms, end_ms }) =>
    isVisible({ from: rest.toPosition(start_ms), until: rest.toPosition(end_ms) }),
  )
  const common = { ...rest, agentChannel: Math.min(1, channels - 1) }
  return (
    <div role="group" aria-label="Conversation on the waveform">
      {visibleItems.map((item) =>
        item.kind === 'turn' ? (
          <TurnMarks key={item.key} item={item} position={byKey.get(item.key)} {...common} />
        ) : (
          <EventMark key={item.key} item={item} position={undefined} {...common} />
        ),
      )}
      {visibleRanges.map((range) => (
        <MutedMark key={`${range.speaker} ${range.reason} ${range.start_ms}`} range={range} {...common} />
      ))}
    </div>
  )
}
