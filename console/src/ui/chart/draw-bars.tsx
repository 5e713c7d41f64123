import { classes } from '../classes.ts'
import styles from './chart.module.css'
import type { ChartDrawing } from './chart-model.ts'

export interface BarSeries {
  label: string
  tone: 'main' | 'soft' | 'bad'
  /** The count of each period. The last period is not over. */
  counts: readonly number[]
}

const Bar = ({ bars, at, isLast, top }: { bars: readonly BarSeries[]; at: number; isLast: boolean; top: number }) => (
  <div className={classes(styles['bar'], isLast && styles['unfinished'])}>
    {bars.map(({ label, tone, counts }) => {
      const count = counts[at] ?? 0
      return count > 0 && <i key={label} className={styles[tone]} style={{ blockSize: `${(count / top) * 100}%` }} />
    })}
  </div>
)

/** Draws one bar per period. Its parts stand on each other in the order of the series, from the axis up. */
export const drawBars = (bars: readonly BarSeries[]): ChartDrawing => {
  const periods = bars[0]?.counts ?? []
  const sums = periods.map((_, at) => bars.reduce((sum, { counts }) => sum + (counts[at] ?? 0), 0))
  return {
    legend: bars.map(({ label, tone }) => (
      <span key={label}>
        <i className={styles[tone]} /> {label}
      </span>
    )),
    highest: Math.max(...sums),
    draw: (top) =>
      periods.map((_, at) => <Bar key={at} bars={bars} at={at} isLast={at === periods.length - 1} top={top} />),
  }
}
