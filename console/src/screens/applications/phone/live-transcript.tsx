import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { type CallInProgress, liveTranscriptQuery } from './live-transcript-query.ts'
import styles from './phone.module.css'

/** The last line counts as visible within this distance. */
const nearPx = 24

const speakers = { caller: 'You', agent: 'Application' } as const

/**
 * Shows what was said so far. Nothing is displayed as long as there is no text: the platform sends no traces, it is not
 * connected, or speech is not recognized.
 */
export const LiveTranscript = (call: CallInProgress) => {
  const { data: turns = [] } = useQuery(liveTranscriptQuery(call))
  const ref = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    const element = ref.current
    // A user who has scrolled back is reading.
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight
  })
  if (turns.length === 0) return null
  return (
    <div
      ref={ref}
      className={styles['transcript']}
      role="log"
      aria-label="Transcript"
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- a part that scrolls must be reachable by keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < nearPx
      }}
    >
      {turns.map(({ speaker, text, start_ms }) => (
        <p key={`${speaker} ${start_ms}`}>
          <span className={styles['speaker']}>{speakers[speaker]} </span>
          <bdi>{text}</bdi>
        </p>
      ))}
    </div>
  )
}
