import type { GapPart, ResponseGap } from '@patchbay/contract/conversations'
import { gapPartLabels } from '@patchbay/contract/conversations/figures'
import { getGapSpeed } from '@patchbay/rules/conversations/gap-speed'
import { ChevronDown, ChevronRight, Hourglass, Timer } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { classes } from '../../../ui/classes.ts'
import { millisecondsText } from './findings.ts'
import styles from './response-gap.module.css'

const evidenceLabels = { measured: 'Measured', derived: 'Derived', unknown: 'Unknown' } as const satisfies Record<
  GapPart['evidence'],
  string
>

/** The class of a part's color, which the waveform uses as well. */
export const gapPartClass = (kind: GapPart['kind']): string => classes(styles['part'], styles[kind])

/** Returns the duration of a gap. It is a lower limit if the end of the caller's speech is unknown. */
const gapText = ({ duration_ms, starts_at }: ResponseGap): string =>
  `${starts_at === 'transcript' ? 'at least ' : ''}${millisecondsText(duration_ms)}`

/** Draws the parts of a gap. All gaps of a call have the same scale: the longest one has the whole width. */
const GapBar = ({ gap: { parts, duration_ms }, longestGapMs }: Pick<GapProps, 'gap' | 'longestGapMs'>) => (
  <div className={styles['bar']} style={{ inlineSize: `${(duration_ms / longestGapMs) * 100}%` }} aria-hidden="true">
    {parts.map(({ kind, duration_ms: part }, position) =>
      part === null || part === 0 ? null : (
        <span
          // oxlint-disable-next-line react/no-array-index-key -- a gap can have several parts of a kind
          key={position}
          className={gapPartClass(kind)}
          title={`${gapPartLabels[kind]}: ${millisecondsText(part)}`}
          style={{ inlineSize: `${(part / duration_ms) * 100}%` }}
        />
      ),
    )}
  </div>
)

interface GapPartsProps {
  id: string
  gap: ResponseGap
  onShowSpan: (span_id: string) => void
}

/** The parts of a response gap in a table, with the origin of each value. */
const GapParts = ({ id, gap, onShowSpan }: GapPartsProps) => (
  <div id={id} className={styles['parts']}>
    <table className={styles['table']}>
      <caption className="visually-hidden">Parts of the response gap of {gapText(gap)}</caption>
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col">Duration</th>
          <th scope="col">Source</th>
          <th scope="col">
            <span className="visually-hidden">Span</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {gap.parts.map(({ kind, duration_ms, evidence, source, span_id }, position) => (
          // oxlint-disable-next-line react/no-array-index-key -- a gap can have several parts of a kind
          <tr key={position}>
            <th scope="row">
              <span aria-hidden="true" className={classes(styles['swatch'], gapPartClass(kind))} />
              {gapPartLabels[kind]}
            </th>
            <td className={styles['number']}>{duration_ms === null ? '–' : millisecondsText(duration_ms)}</td>
            <td>
              {evidenceLabels[evidence]}
              {source !== null && <span className={styles['service']}> {source}</span>}
            </td>
            <td>
              {span_id !== null && (
                <Button size="small" variant="ghost" onClick={() => onShowSpan(span_id)}>
                  Show span
                  <span className="visually-hidden"> ({gapPartLabels[kind]})</span>
                </Button>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
    {gap.starts_at === 'transcript' && (
      <p className="note">
        No component reported when the speech before it ended. The gap starts at the transcript, so the wait was longer.
      </p>
    )}
  </div>
)

interface GapProps extends GapPartsProps {
  /** The longest gap of the conversation. */
  longestGapMs: number
  isOpen: boolean
  onToggle: () => void
}

/** The wait of the caller before a response, drawn to scale. A button opens the table of its parts. */
export const Gap = ({ isOpen, longestGapMs, onToggle, ...parts }: GapProps) => {
  const speed = getGapSpeed(parts.gap.duration_ms)
  const Icon = speed === 'normal' ? Timer : Hourglass
  const Arrow = isOpen ? ChevronDown : ChevronRight
  return (
    <div className={classes(styles['gap'], speed !== 'normal' && styles[speed === 'slow' ? 'slow' : 'very-slow'])}>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? parts.id : undefined}
        className={styles['chip']}
        onClick={onToggle}
      >
        <Icon size={13} aria-hidden="true" />
        Response gap {gapText(parts.gap)}
        {speed !== 'normal' && `, ${speed}`}
        <Arrow size={13} aria-hidden="true" />
      </button>
      <GapBar gap={parts.gap} longestGapMs={longestGapMs} />
      {isOpen && <GapParts {...parts} />}
    </div>
  )
}
