import { formatClock } from '@patchbay/contract/shared/durations'
import { getWhoLabel } from '@patchbay/rules/recordings/speaker-names'
import { lineAt, lineText, type TranscriptLine, transcriptText } from '@patchbay/rules/recordings/transcript'
import { useEffect, useRef } from 'react'
import { toaster } from '../../../feedback/toaster.ts'
import { classes } from '../../../ui/classes.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import styles from './recording.module.css'
import type { Playback } from './use-playback.ts'

interface TranscriptProps {
  lines: readonly TranscriptLine[]
  /** The direction of the call. */
  direction: string | null | undefined
  playback: Pick<Playback, 'at' | 'isPlaying' | 'playFrom'>
}

/** Returns the confidence of a recognized line, or the voice of a synthesized one. */
const note = ({ confidence, voice }: TranscriptLine): string | undefined =>
  confidence === undefined ? voice : `${Math.round(confidence * 100)} % sure`

type Direction = string | null | undefined

const Line = ({ line, direction }: { line: TranscriptLine; direction: Direction }) => (
  <>
    <span className={styles['head']}>
      {line.at !== undefined && <span className={styles['clock']}>{formatClock(line.at)}</span>}
      <span className={styles['who']}>{getWhoLabel(line.who, direction)}</span>
      {note(line) && <span className={styles['note']}>{note(line)}</span>}
    </span>
    <span className={styles['text']}>{lineText(line)}</span>
  </>
)

/** Shows the transcript of a recording. Clicking a line plays it, and the line that is playing is highlighted. */
export const Transcript = ({ lines, direction, playback: { at, isPlaying, playFrom } }: TranscriptProps) => {
  const list = useRef<HTMLOListElement>(null)
  const current = isPlaying || at > 0 ? lineAt(lines, at) : undefined
  useEffect(() => {
    if (!isPlaying || current === undefined) return
    const [box, line] = [list.current, list.current?.querySelector<HTMLElement>('[aria-current]')]
    if (!box || !line) return
    // Sets `scrollTop`, because `scrollIntoView` would scroll the page as well.
    const top = line.offsetTop - box.offsetTop
    if (top < box.scrollTop || top + line.offsetHeight > box.scrollTop + box.clientHeight) box.scrollTop = top
  }, [current, isPlaying])
  return (
    <ol ref={list} aria-label="Transcript" className={styles['lines']}>
      {lines.map((line) => (
        <li key={line.id}>
          {line.at === undefined ? (
            <div className={styles['line']}>
              <Line line={line} direction={direction} />
            </div>
          ) : (
            <button
              type="button"
              className={classes(styles['line'], styles['playable'])}
              aria-current={line === current || undefined}
              onClick={() => playFrom(line.at ?? 0)}
            >
              <Line line={line} direction={direction} />
            </button>
          )}
        </li>
      ))}
    </ol>
  )
}

export const CopyTranscript = ({ lines, direction }: Pick<TranscriptProps, 'lines' | 'direction'>) => (
  <CopyButton
    value={transcriptText(lines, direction)}
    label="Copy transcript"
    onCopied={() => toaster.success('Transcript copied to clipboard')}
    onFailed={() => toaster.failure('Failed to copy the transcript')}
  />
)
