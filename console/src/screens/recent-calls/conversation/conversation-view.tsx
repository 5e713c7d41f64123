import type { Conversation } from '@patchbay/contract/conversations'
import { transcriptText } from '@patchbay/rules/recordings/transcript'
import { type ReactNode, useCallback, useEffect, useId, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { createPortal, flushSync } from 'react-dom'
import { toaster } from '../../../feedback/toaster.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { getWho } from '../../../ui/format/speaker-label.ts'
import { countText, type Nouns } from '../../../ui/format/text.ts'
import type { PlayerLink } from '../recording/player-link.ts'
import { SideColumn } from '../side-column.tsx'
import styles from './conversation.module.css'
import { toItems, withSteps } from './conversation-items.ts'
import { FindingList } from './finding-list.tsx'
import { findFindings, millisecondsText, summarizeGaps } from './findings.ts'
import { focusRow, ItemList } from './item-list.tsx'
import { findNearestTurn, findTurnAt, placeTurns } from './item-positions.ts'
import { StripMarks } from './strip-marks.tsx'
import { WaveMarks } from './wave-marks.tsx'

/** A finding is heard with what comes before it. */
const leadSeconds = 1

const turnNouns: Nouns = ['turn', 'turns']

const summaryText = (turnCount: number, gaps: ReturnType<typeof summarizeGaps>): string =>
  countText(turnCount, turnCount, turnNouns) +
  (gaps ? `, response gap: median ${millisecondsText(gaps.medianMs)}, slowest ${millisecondsText(gaps.slowestMs)}` : '')

/** Returns the turns as plain text, with the times that the list shows. */
const toText = ({ turns, direction }: Conversation): string =>
  transcriptText(
    turns.map((turn, position) => ({
      id: String(position),
      who: getWho(turn),
      at: turn.start_ms / 1000,
      text: turn.text,
    })),
    direction,
  )

/** Says how the times of the player differ from those of the conversation. */
const getPlayerText = (recordingStartMs: number): string =>
  `Times count from the start of the call. Those of the player count from the start of the recording, ${millisecondsText(Math.abs(recordingStartMs))} ${recordingStartMs < 0 ? 'earlier' : 'later'}.`

const stepNouns: Nouns = ['other step', 'other steps']

interface ConversationViewProps {
  conversation: Conversation
  link: PlayerLink
  /** Milliseconds since the start of the conversation: the turn that is shown first, and highlighted. */
  startAtMs: number | undefined
  /** Milliseconds from the beginning of the conversation to that of the recording. Undefined if it is unknown. */
  recordingStartMs: number | undefined
  /** Shows a span. Shared conversations contain no IDs of spans and never call it. */
  onShowSpan: (span_id: string) => void
  /** Shown next to the turns, below the findings. */
  aside?: ReactNode
  /** Buttons beside the summary. */
  actions?: ReactNode
  /** Shown below the conversation. */
  notes?: ReactNode
}

/** Shows a conversation turn by turn, with its findings, and on the waveform of the recording. */
export const ConversationView = (props: ConversationViewProps) => {
  const { conversation, link, startAtMs, recordingStartMs, onShowSpan, aside, actions, notes } = props
  const id = useId()
  const list = useRef<HTMLDivElement>(null)
  const [finding, setFinding] = useState(-1)
  const [openGaps, setOpenGaps] = useState<ReadonlySet<string>>(new Set())
  const [showsSteps, setShowsSteps] = useState(false)
  const items = useMemo(() => toItems(conversation), [conversation])
  const { other_steps: steps, direction } = conversation
  const gaps = useMemo(() => summarizeGaps(conversation.turns), [conversation.turns])
  const listed = useMemo(() => (showsSteps ? withSteps(items, steps) : items), [items, showsSteps, steps])
  const linked = useMemo(
    () => (startAtMs === undefined ? undefined : findNearestTurn(items, startAtMs)),
    [items, startAtMs],
  )
  const [selected = linked, setSelected] = useState<string>()
  const findings = useMemo(() => findFindings(items, direction), [items, direction])
  const toPosition = useCallback((ms: number) => (ms - (recordingStartMs ?? 0)) / 1000, [recordingStartMs])

  const isLinked = recordingStartMs !== undefined
  const duration = useSyncExternalStore(link.subscribe, () => (isLinked ? link.getPlayer()?.duration : undefined))
  const findSoundBegin = useSyncExternalStore(link.subscribe, () => link.getPlayer()?.findSoundBegin)
  const positions = useMemo(
    () => (duration && findSoundBegin ? placeTurns(items, toPosition, { duration, findSoundBegin }) : []),
    [duration, findSoundBegin, items, toPosition],
  )
  const playing = useSyncExternalStore(link.subscribe, () => {
    const player = link.getPlayer()
    return player && (player.isPlaying || player.at > 0) ? findTurnAt(positions, player.at) : undefined
  })
  const overlay = useSyncExternalStore(link.subscribe, () => link.getPlayer()?.overlay)

  useEffect(() => {
    if (linked !== undefined) focusRow(list.current, linked)
  }, [linked])

  const play = useCallback(
    (key: string) => {
      const position = positions.find((one) => one.key === key)
      if (position) link.getPlayer()?.playFrom(position.from)
    },
    [link, positions],
  )
  const toggleGap = useCallback(
    (key: string) =>
      setOpenGaps((now) => {
        const next = new Set(now)
        if (!next.delete(key)) next.add(key)
        return next
      }),
    [],
  )
  const select = (key: string) => {
    // Renders synchronously, because the row must exist to receive the focus.
    flushSync(() => setSelected(key))
    focusRow(list.current, key)
  }
  const selectFinding = (position: number) => {
    const found = findings[position]
    if (found === undefined) return
    setFinding(position)
    select(found.item)
    if (isLinked) link.getPlayer()?.seek(toPosition(found.at_ms) - leadSeconds)
  }
  const openGap = (key: string) => {
    setOpenGaps((now) => new Set(now).add(key))
    select(key)
  }
  const player = link.getPlayer()
  return (
    <div className={styles['conversation']}>
      {conversation.is_cut && (
        <Banner tone="warn" title="This conversation is not complete.">
          The call has more turns or events than Patchbay shows.
        </Banner>
      )}
      <div className={styles['bar']}>
        <p className="note">{summaryText(conversation.turns.length, gaps)}</p>
        <div className={styles['acts']}>
          {steps.length > 0 && (
            <Button size="small" aria-pressed={showsSteps} onClick={() => setShowsSteps(!showsSteps)}>
              {countText(steps.length, steps.length, stepNouns)}
            </Button>
          )}
          <CopyButton
            value={toText(conversation)}
            label="Copy transcript"
            onCopied={() => toaster.success('Transcript copied to clipboard')}
            onFailed={() => toaster.failure('Failed to copy the transcript')}
          />
          {actions}
        </div>
      </div>
      <SideColumn
        side={
          <>
            <FindingList findings={findings} selected={finding} onSelect={selectFinding} />
            {aside}
          </>
        }
      >
        <ItemList
          list={list}
          items={listed}
          id={id}
          playing={playing}
          selected={selected}
          highlighted={linked}
          openGaps={openGaps}
          direction={direction}
          onPlay={positions.length > 0 ? play : undefined}
          onToggleGap={toggleGap}
          longestGapMs={gaps?.slowestMs ?? 0}
          onShowSpan={onShowSpan}
        />
      </SideColumn>
      {notes}
      {duration !== undefined && isLinked && recordingStartMs !== 0 && (
        <p className="note">{getPlayerText(recordingStartMs)}</p>
      )}
      {overlay &&
        player &&
        isLinked &&
        createPortal(
          <WaveMarks
            player={player}
            direction={direction}
            items={items}
            positions={positions}
            mutedRanges={conversation.muted_ranges ?? []}
            toPosition={toPosition}
            onSelect={openGap}
          />,
          overlay,
        )}
      {player &&
        isLinked &&
        createPortal(
          <StripMarks
            duration={player.duration}
            items={items}
            positions={positions}
            findings={findings}
            toPosition={toPosition}
          />,
          player.strip,
        )}
    </div>
  )
}
