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

/** Draws the parts of a gap to scale. */
const GapBar = ({ gap: { parts, duration_ms } }: { gap: ResponseGap }) => (
  <div className={styles['bar']} aria-hidden="true">
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

/** Shows the parts of a response gap as a bar, and as a table with the origin of each value. */
const GapParts = ({ id, gap, onShowSpan }: GapPartsProps) => (
  <div id={id} className={styles['parts']}>
    <GapBar gap={gap} />
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
  isOpen: boolean
  onToggle: () => void
}

/** A chip with the wait of the caller before a response. It opens the parts of the wait. */
export const Gap = ({ isOpen, onToggle, ...parts }: GapProps) => {
  const speed = getGapSpeed(parts.gap.duration_ms)
  const Icon = speed === 'normal' ? Timer : Hourglass
  const Arrow = isOpen ? ChevronDown : ChevronRight
  return (
    <div className={styles['gap']}>
      <button
        type="button"
        aria-expanded={isOpen}
        aria-controls={isOpen ? parts.id : undefined}
        className={classes(styles['chip'], speed !== 'normal' && styles[speed === 'slow' ? 'slow' : 'very-slow'])}
        onClick={onToggle}
      >
        <Icon size={13} aria-hidden="true" />
        Response gap {gapText(parts.gap)}
        {speed !== 'normal' && `, ${speed}`}
        <Arrow size={13} aria-hidden="true" />
      </button>
      {isOpen && <GapParts {...parts} />}
    </div>
  )
}
