import type { Conversation, ConversationEvent, OtherStep, Turn } from '@patchbay/contract/conversations'
import { lineText } from '@patchbay/rules/recordings/transcript'
import { CircleAlert, CircleDot, Ear, Forward, Grid3x3, Hourglass, type LucideIcon, MicOff, Wrench } from 'lucide-react'
import { memo } from 'react'
import { StateBadge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { formatConversationTime } from '../../../ui/format/conversation-time.ts'
import { getSideText, getSpeakerLabel } from '../../../ui/format/speaker-label.ts'
import styles from './conversation.module.css'
import { getTime, type ListedItem } from './conversation-items.ts'
import { confidenceText, findingLabels, hasLowConfidence, millisecondsText } from './findings.ts'
import { Gap } from './response-gap.tsx'

const eventLabels = {
  dtmf: 'Digit',
  no_input: 'No input',
  silence: 'Silence',
  hold: 'On hold',
  transfer: 'Transfer',
  tool_call: 'Tool call',
  error: 'Error',
  backchannel: 'Short sound',
} as const satisfies Record<ConversationEvent['kind'], string>

const eventIcons: Readonly<Record<ConversationEvent['kind'], LucideIcon>> = {
  dtmf: Grid3x3,
  no_input: MicOff,
  silence: Hourglass,
  hold: Hourglass,
  transfer: Forward,
  tool_call: Wrench,
  error: CircleAlert,
  backchannel: Ear,
}

type EventState = Pick<ConversationEvent, 'kind' | 'error'>

export const isFailure = ({ kind, error }: EventState): boolean => kind === 'error' || error !== undefined

export const getEventLabel = ({ kind, error }: EventState): string =>
  error === undefined ? eventLabels[kind] : findingLabels.failed_tool_call

/** The actions of a row. The functions must not change, because a conversation has up to 4,000 rows. */
export interface RowActions {
  /** The direction of the conversation. */
  direction: Conversation['direction']
  /** Undefined if the item cannot be played. */
  onPlay: ((key: string) => void) | undefined
  onToggleGap: (key: string) => void
  /** The longest response gap of the conversation, which is the scale of all of them. */
  longestGapMs: number
  onShowSpan: (span_id: string) => void
}

/** Says after which word a turn was interrupted. The word is approximate if it was derived from the speed of the speech. */
const getWordText = (text: string, { position, position_evidence }: NonNullable<Turn['interruption']>): string => {
  const word = text
    .slice(0, position ?? 0)
    .match(/[\p{L}\p{N}’'-]+/gu)
    ?.at(-1)
  return word === undefined ? '' : `, ${position_evidence === 'measured' ? 'after' : 'near'} “${word}”`
}

/** Returns the text of a turn, or says that no source has it. */
export const getTurnText = ({ text }: Pick<Turn, 'text'>): string =>
  lineText({ id: '', who: 'caller', at: undefined, text })

/** The text of a turn. The part that an interrupted agent has not spoken is muted. */
const SpokenText = ({ speaker, text, interruption }: Turn) => {
  const { position } = interruption ?? {}
  if (speaker === 'caller' || typeof position !== 'number' || position === text.length) return getTurnText({ text })
  return (
    <>
      {text.slice(0, position)}
      <span className={styles['unspoken']}>{text.slice(position)}</span>
    </>
  )
}

const TurnText = ({ turn, direction }: { turn: Turn } & Pick<RowActions, 'direction'>) => {
  const { start_ms, text, voice, confidence, interruption } = turn
  return (
    <>
      <span className={styles['head']}>
        <span className={styles['clock']}>{formatConversationTime(start_ms)}</span>
        <span className={styles['speaker']}>{getSpeakerLabel(turn, direction)}</span>
        {confidence !== null && !hasLowConfidence(turn) && <span>{confidenceText(confidence)} sure</span>}
        {voice !== null && <span className={styles['voice']}>{voice}</span>}
        {confidence !== null && hasLowConfidence(turn) && (
          <StateBadge tone="warn">Low confidence, {confidenceText(confidence)}</StateBadge>
        )}
        {interruption && (
          <StateBadge tone="warn">
            Interrupted by {getSideText(interruption.by, direction)} at {formatConversationTime(interruption.at_ms)}
            {getWordText(text, interruption)}
          </StateBadge>
        )}
      </span>
      <span className={styles['text']}>
        <SpokenText {...turn} />
      </span>
    </>
  )
}

const ShowSpan = ({ label, onClick }: { label: string; onClick: () => void }) => (
  <Button size="small" variant="ghost" onClick={onClick}>
    Show span
    <span className="visually-hidden"> ({label})</span>
  </Button>
)

interface StepRowProps extends Pick<RowActions, 'onShowSpan'> {
  step: OtherStep
}

/** A span that belongs to no turn and no event. */
const StepRow = ({ step: { at_ms, duration_ms, name, service, span_id }, onShowSpan }: StepRowProps) => (
  <div className={styles['event']}>
    <span className={styles['clock']}>{formatConversationTime(at_ms)}</span>
    <CircleDot size={14} aria-hidden="true" />
    <span className={styles['kind']}>Step</span>
    <span className={styles['detail']}>
      {name} ({millisecondsText(duration_ms)}){service !== null && `, ${service}`}
    </span>
    <ShowSpan label={`${name} at ${formatConversationTime(at_ms)}`} onClick={() => onShowSpan(span_id)} />
  </div>
)

/** Returns what an event says beside its kind. */
const getDetail = (
  { kind, detail, duration_ms, span_id }: ConversationEvent,
  direction: RowActions['direction'],
): string => {
  if (kind === 'backchannel') {
    const [speaker, other] = detail === 'caller' ? (['caller', 'agent'] as const) : (['agent', 'caller'] as const)
    return `${getSpeakerLabel({ speaker }, direction)}, while ${getSideText(other, direction)} spoke on (${millisecondsText(duration_ms)})`
  }
  const hasDuration = (kind === 'tool_call' || kind === 'hold') && span_id !== null
  return hasDuration ? `${detail} (${millisecondsText(duration_ms)})` : detail
}

interface EventRowProps extends Pick<RowActions, 'direction' | 'onShowSpan'> {
  event: ConversationEvent
}

const EventRow = ({ event, direction, onShowSpan }: EventRowProps) => {
  const { kind, at_ms, arguments: toolArguments, error, span_id } = event
  const Icon = isFailure(event) ? CircleAlert : eventIcons[kind]
  const label = getEventLabel(event)
  return (
    <div className={classes(styles['event'], isFailure(event) && styles['failed'])}>
      <span className={styles['clock']}>{formatConversationTime(at_ms)}</span>
      <Icon size={14} aria-hidden="true" />
      <span className={styles['kind']}>{label}</span>
      <span className={styles['detail']}>
        {getDetail(event, direction)}
        {error && `: ${error}`}
        {toolArguments !== null && <code className={styles['arguments']}>{toolArguments}</code>}
      </span>
      {span_id !== null && (
        <ShowSpan label={`${label} at ${formatConversationTime(at_ms)}`} onClick={() => onShowSpan(span_id)} />
      )}
    </div>
  )
}

interface ItemRowProps extends RowActions {
  item: ListedItem
  /** Prefix of element IDs. */
  id: string
  isPlaying: boolean
  isGapOpen: boolean
}

/** A turn with the response gap before it, an event, a silence, or another step. */
export const ItemRow = memo(function ItemRow({ item, id, isPlaying, isGapOpen, ...actions }: ItemRowProps) {
  const { direction, onPlay, onToggleGap, longestGapMs, onShowSpan } = actions
  const { key } = item
  if (item.kind === 'event') return <EventRow event={item.event} direction={direction} onShowSpan={onShowSpan} />
  if (item.kind === 'step') return <StepRow step={item.step} onShowSpan={onShowSpan} />
  if (item.kind === 'silence')
    return (
      <div className={styles['event']}>
        <span className={styles['clock']}>{formatConversationTime(getTime(item))}</span>
        <Hourglass size={14} aria-hidden="true" />
        <span className={styles['kind']}>Silence</span>
        <span className={styles['detail']}>{millisecondsText(item.duration_ms)}</span>
      </div>
    )
  const { turn } = item
  const text = <TurnText turn={turn} direction={direction} />
  const look = classes(styles['turn'], styles[turn.speaker], onPlay && styles['playable'])
  return (
    <>
      {turn.gap && (
        <Gap
          id={`${id}-${key}-parts`}
          gap={turn.gap}
          longestGapMs={longestGapMs}
          isOpen={isGapOpen}
          onToggle={() => onToggleGap(key)}
          onShowSpan={onShowSpan}
        />
      )}
      {onPlay ? (
        <button type="button" className={look} aria-current={isPlaying || undefined} onClick={() => onPlay(key)}>
          {text}
        </button>
      ) : (
        <div className={look}>{text}</div>
      )}
    </>
  )
})
