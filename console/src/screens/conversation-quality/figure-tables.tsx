import type { ConversationFigures, ConversationQuality } from '@patchbay/contract/conversation-quality'
import { type Duration, durations as durationKinds, gapPartLabels } from '@patchbay/contract/conversations/figures'
import { getGapSpeed } from '@patchbay/rules/conversations/gap-speed'
import type { ReactNode } from 'react'
import { classes } from '../../ui/classes.ts'
import { FigureTable, PickButton, wideOnly } from '../../ui/figure-table.tsx'
import { formatCount } from '../../ui/format/text.ts'
import { formatDuration, measures } from './measures.ts'
import styles from './quality.module.css'

/** Tables of conversation figures. */

type Percentiles = ConversationFigures['durations']['gap']

interface BarProps {
  percentiles: Percentiles
  /** The duration that the whole width represents, in milliseconds. */
  scaleMs: number
  isGap?: boolean
}

/** Draws the median and the 95th percentile to scale. The table has the numbers, so it is hidden from screen readers. */
const Bar = ({ percentiles: { p50, p95 }, scaleMs, isGap = false }: BarProps) => {
  const toWidth = (ms: number | null) => `${Math.min(100, ((ms ?? 0) / scaleMs) * 100)}%`
  const speed = isGap && p95 !== null ? getGapSpeed(p95) : 'normal'
  return (
    <span className={styles['bar']} aria-hidden="true">
      <span
        className={classes(
          styles['p95'],
          speed === 'slow' && styles['slow'],
          speed === 'very slow' && styles['very-slow'],
        )}
        style={{ inlineSize: toWidth(p95) }}
      />
      <span className={styles['p50']} style={{ inlineSize: toWidth(p50) }} />
    </span>
  )
}

const BarHead = ({ scaleMs }: { scaleMs: number }) => (
  <th scope="col" className={classes(styles['bar-head'], wideOnly)}>
    0 to {formatDuration(scaleMs)}
  </th>
)

/** Returns the largest 95th percentile, as the scale of bars. */
const getScale = (all: readonly Percentiles[]): number => Math.max(1, ...all.map(({ p95 }) => p95 ?? 0))

/** Shows what the response gap consists of. */
export const GapPartsTable = ({
  durations,
  onPick,
}: Pick<ConversationFigures, 'durations'> & {
  /** Selects the conversations in which the whole gap, or this part, was slow. */
  onPick: (part: Duration) => void
}) => {
  const scaleMs = getScale([durations.gap])
  return (
    <FigureTable title="Parts of the response gap">
      <thead>
        <tr>
          <th scope="col">Part</th>
          <th scope="col" className={wideOnly}>
            Measured
          </th>
          <th scope="col">Median</th>
          <th scope="col" className={wideOnly}>
            90th percentile
          </th>
          <th scope="col">95th percentile</th>
          <BarHead scaleMs={scaleMs} />
        </tr>
      </thead>
      <tbody>
        {durationKinds.map((kind) => {
          const { count, p50, p90, p95 } = durations[kind]
          const isGap = kind === 'gap'
          return (
            <tr key={kind} className={isGap ? styles['whole'] : undefined}>
              <th scope="row">{isGap ? 'Response gap' : gapPartLabels[kind]}</th>
              <td className={wideOnly}>{formatCount(count)}</td>
              <td>{formatDuration(p50)}</td>
              <td className={wideOnly}>{formatDuration(p90)}</td>
              <td>
                {p95 === null ? (
                  formatDuration(p95)
                ) : (
                  <PickButton
                    onPick={() => onPick(kind)}
                    label={`${formatDuration(p95)} or longer: list the conversations`}
                  >
                    {formatDuration(p95)}
                  </PickButton>
                )}
              </td>
              <td className={wideOnly}>
                <Bar percentiles={durations[kind]} scaleMs={scaleMs} isGap={isGap} />
              </td>
            </tr>
          )
        })}
      </tbody>
    </FigureTable>
  )
}

export interface ConversationRow extends ConversationFigures {
  key: string
  /** Content of the first column. */
  label: ReactNode
  /** Content of the last column, such as a link to the calls. */
  action?: ReactNode
}

interface ConversationTableProps {
  title: string
  /** Header of the first column. */
  head: string
  rows: readonly ConversationRow[]
}

/** Shows one row per group of conversations. */
export const ConversationTable = ({ title, head, rows }: ConversationTableProps) => {
  const scaleMs = getScale(rows.map(({ durations }) => durations.gap))
  const others = measures.filter(({ column }) => column !== undefined)
  const hasActions = rows.some(({ action }) => action !== undefined)
  return (
    <FigureTable title={title}>
      <thead>
        <tr>
          <th scope="col">{head}</th>
          <th scope="col">Conversations</th>
          <th scope="col">Median gap</th>
          <th scope="col" className={wideOnly}>
            90th percentile
          </th>
          <th scope="col">95th percentile</th>
          {others.map(({ id, column }) => (
            <th key={id} scope="col" className={wideOnly}>
              {column}
            </th>
          ))}
          <BarHead scaleMs={scaleMs} />
          {hasActions && (
            <th scope="col">
              <span className="visually-hidden">Calls</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.key}>
            <th scope="row">{row.label}</th>
            <td>{formatCount(row.conversations)}</td>
            <td>{formatDuration(row.durations.gap.p50)}</td>
            <td className={wideOnly}>{formatDuration(row.durations.gap.p90)}</td>
            <td>{formatDuration(row.durations.gap.p95)}</td>
            {others.map(({ id, format }) => (
              <td key={id} className={wideOnly}>
                {format(row)}
              </td>
            ))}
            <td className={wideOnly}>
              <Bar percentiles={row.durations.gap} scaleMs={scaleMs} isGap />
            </td>
            {hasActions && <td>{row.action}</td>}
          </tr>
        ))}
      </tbody>
    </FigureTable>
  )
}

/** Shows the figures of the period that are not at the top of the page. */
export const MoreFiguresTable = ({ total, previous }: Pick<ConversationQuality, 'total' | 'previous'>) => {
  const hasPrevious = previous.conversations > 0
  return (
    <FigureTable title="More figures">
      <thead>
        <tr>
          <th scope="col">Figure</th>
          <th scope="col">This period</th>
          {hasPrevious && <th scope="col">Period before</th>}
        </tr>
      </thead>
      <tbody>
        {measures
          .filter(({ isCard }) => !isCard)
          .map(({ id, label, hint, format }) => (
            <tr key={id}>
              <th scope="row">
                {label}
                <span className={styles['hint']}>{hint}</span>
              </th>
              <td>{format(total)}</td>
              {hasPrevious && <td>{format(previous)}</td>}
            </tr>
          ))}
      </tbody>
    </FigureTable>
  )
}
