import { useId } from 'react'
import { lazyExtra } from '../lazy-extra.tsx'
import styles from './chart.module.css'
import { chartScale } from './chart-scale.ts'
import { hasTick } from './chart-ticks.ts'
import type { ValuesProps } from './chart-values.tsx'

export interface ChartProps extends Omit<ValuesProps, 'top'> {
  title: string
  heading?: 'h2' | 'h3'
  /** Describes the whole chart for assistive technology. */
  summary: string
  formatScale: (value: number) => string
}

const Axis = ({ periods, noun }: Pick<ChartProps, 'periods' | 'noun'>) => (
  <p className={styles['axis']} aria-hidden="true">
    {periods.map(({ key, tick }, at) => (
      <span key={key}>
        {hasTick(at, periods.length) && <span>{tick}</span>}
        {at === periods.length - 1 && <span className={styles['now']}>{noun === 'Hour' ? 'now' : 'today'}</span>}
      </span>
    ))}
  </p>
)

/** The values at the pointer and their table, without which the chart is complete. */
const Values = lazyExtra(async () => (await import('./chart-values.tsx')).ChartValues)

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
        <Values {...props} top={top} />
      </div>
      <Axis periods={periods} noun={props.noun} />
    </figure>
  )
}
