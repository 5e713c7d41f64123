import { useId } from 'react'
import styles from './chart.module.css'
import { ChartCursor } from './chart-cursor.tsx'
import type { ChartColumn, ChartDrawing, ChartPeriod } from './chart-model.ts'
import { chartScale } from './chart-scale.ts'
import { getTicks } from './chart-ticks.ts'

export interface ChartProps {
  title: string
  heading?: 'h2' | 'h3'
  /** Describes the whole chart for assistive technology. */
  summary: string
  /** The kind of a period. The last one is not over. */
  noun: 'Hour' | 'Day'
  /** The name of the last period below the axis. */
  now: 'now' | 'today'
  periods: readonly ChartPeriod[]
  columns: readonly ChartColumn[]
  drawing: ChartDrawing
  formatScale: (value: number) => string
  /** The names of the strip with the values, and of the table, if a page has several charts. */
  cursorLabel: string
  tableLabel: string
}

const Axis = ({ periods, now }: Pick<ChartProps, 'periods' | 'now'>) => {
  const ticks = getTicks(periods.length)
  return (
    <p className={styles['axis']} aria-hidden="true">
      {periods.map(({ key, tick }, at) => (
        <span key={key}>
          {ticks.has(at) && <span>{tick}</span>}
          {at === periods.length - 1 && <span className={styles['now']}>{now}</span>}
        </span>
      ))}
    </p>
  )
}

const ChartTable = ({ noun, periods, columns, tableLabel }: ChartProps) => (
  <table aria-label={tableLabel}>
    <thead>
      <tr>
        <th scope="col">{noun}</th>
        {columns.map(({ label }) => (
          <th key={label} scope="col">
            {label}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {periods.map(({ key, name }, at) => (
        <tr key={key}>
          <th scope="row">{name}</th>
          {columns.map(({ label, cells }) => (
            <td key={label}>{cells[at]}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
)

/** A chart of periods: bars or lines, with the values of a period at the pointer, and all of them in a table. */
export const Chart = (props: ChartProps) => {
  const { title, heading: Heading = 'h2', drawing, periods, formatScale } = props
  const id = useId()
  const { top, lines } = chartScale(drawing.highest)
  return (
    <figure className={styles['chart']} aria-labelledby={id}>
      <figcaption className={styles['head']}>
        <Heading id={id}>{title}</Heading>
        <span className={styles['legend']}>
          {drawing.legend}
          <span>
            <i className={styles['unfinished']} /> {props.noun} not over
          </span>
        </span>
      </figcaption>
      <div className={styles['plot']}>
        {lines.map((value) => (
          <span
            key={value}
            className={styles['line']}
            style={{ insetBlockEnd: `${(value / top) * 100}%` }}
            aria-hidden="true"
          >
            <span>{formatScale(value)}</span>
          </span>
        ))}
        <div role="img" aria-label={props.summary} className={styles['area']}>
          {drawing.draw(top)}
        </div>
        <ChartCursor
          periods={periods}
          columns={props.columns}
          mark={drawing.mark}
          top={top}
          label={props.cursorLabel}
        />
      </div>
      <Axis periods={periods} now={props.now} />
      {/* A table would be as wide as its columns, also when it is hidden. */}
      <div className="visually-hidden">
        <ChartTable {...props} />
      </div>
    </figure>
  )
}
