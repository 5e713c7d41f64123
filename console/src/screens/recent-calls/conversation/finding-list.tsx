import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'
import { Button } from '../../../ui/button.tsx'
import { formatConversationTime } from '../../../ui/format/conversation-time.ts'
import { isFreeKey } from '../../../ui/overlay/can-handle-shortcut.ts'
import styles from './conversation.module.css'
import { type Finding, findingLabels } from './findings.ts'

/** Moves through the findings with `n` and `p`. */
const useFindingKeys = (move: (by: 1 | -1) => void): void => {
  const listen = useEffectEvent((event: KeyboardEvent) => {
    const by = event.key === 'n' ? 1 : event.key === 'p' ? -1 : undefined
    if (by === undefined || !isFreeKey(event)) return
    event.preventDefault()
    move(by)
  })
  useEffect(() => {
    document.addEventListener('keydown', listen)
    return () => document.removeEventListener('keydown', listen)
  }, [])
}

interface FindingListProps {
  findings: readonly Finding[]
  /** Position of the selected finding. -1 before the first selection. */
  selected: number
  onSelect: (position: number) => void
}

const toText = ({ kind, detail }: Finding): string => [findingLabels[kind], detail].filter(Boolean).join(', ')

/** Lists the moments that are worth a look, with buttons and keys that move from one to the next. */
export const FindingList = ({ findings, selected, onSelect }: FindingListProps) => {
  const move = (by: 1 | -1) => {
    const next = selected < 0 && by < 0 ? findings.length - 1 : selected + by
    if (findings[next] !== undefined) onSelect(next)
  }
  useFindingKeys(move)
  const finding = findings[selected]
  if (findings.length === 0)
    return (
      <section aria-label="Findings" className={styles['findings']}>
        <p className={styles['title']}>Findings</p>
        <p className="note">No slow responses, interruptions, long silences, errors, or unclear speech.</p>
      </section>
    )
  return (
    <section aria-label="Findings" className={styles['findings']}>
      <div className={styles['title']}>
        <p>Findings</p>
        <Button
          size="small"
          icon={<ChevronLeft size={14} aria-hidden="true" />}
          aria-keyshortcuts="p"
          disabledReason={selected > 0 || selected < 0 ? undefined : 'This is the first finding.'}
          onClick={() => move(-1)}
        >
          Previous
        </Button>
        <Button
          size="small"
          icon={<ChevronRight size={14} aria-hidden="true" />}
          aria-keyshortcuts="n"
          disabledReason={selected < findings.length - 1 ? undefined : 'This is the last finding.'}
          onClick={() => move(1)}
        >
          Next
        </Button>
      </div>
      <output className="note">
        {finding === undefined
          ? `${findings.length} found. Press n for the next and p for the previous one.`
          : `${selected + 1} of ${findings.length}: ${toText(finding)}, at ${formatConversationTime(finding.at_ms)}`}
      </output>
      <ol className={styles['found']}>
        {findings.map((one, position) => (
          <li key={`${one.item} ${one.kind}`}>
            <button
              type="button"
              className={styles['entry']}
              aria-current={position === selected || undefined}
              onClick={() => onSelect(position)}
            >
              <span className={styles['clock']}>{formatConversationTime(one.at_ms)}</span>
              <span>{findingLabels[one.kind]}</span>
              <span className={styles['gist']}>{one.detail}</span>
            </button>
          </li>
        ))}
      </ol>
    </section>
  )
}
