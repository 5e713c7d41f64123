import { classes } from '../classes.ts'
import styles from './chart.module.css'
import type { ChartDrawing } from './chart-model.ts'
import { toLinePath, toPointsPath } from './line-path.ts'

export interface LineSeries {
  label: string
  /** The second line is dashed, so that color alone does not tell them apart. */
  tone: 'first' | 'second'
  /** The value of each period, undefined where nothing was measured. The last period is not over. */
  values: readonly (number | undefined)[]
}

interface LineOptions {
  /** The end of the scale, if it is not the highest value. */
  highest?: number
  /** A value that should not be exceeded, with its text. */
  limit?: { value: number; text: string } | undefined
}

/** Draws lines through the periods, and the limit dashed. */
export const drawLines = (lines: readonly LineSeries[], { highest, limit }: LineOptions = {}): ChartDrawing => {
  const count = lines[0]?.values.length ?? 0
  const all = lines.flatMap(({ values }) => values.map((value) => value ?? 0))
  const toBottom = (value: number, top: number) => `${(value / top) * 100}%`
  return {
    legend: lines.map(({ label, tone }) => (
      <span key={label}>
        <i className={classes(styles['dash'], styles[tone])} /> {label}
      </span>
    )),
    highest: highest ?? Math.max(limit?.value ?? 0, ...all),
    draw: (top) => (
      <>
        <span className={styles['today']} style={{ inlineSize: `${100 / count}%` }} />
        <svg viewBox={`0 0 ${count} 100`} preserveAspectRatio="none" aria-hidden="true">
          {lines.map(({ label, tone, values }) => (
            <g key={label} className={styles[tone]}>
              <path d={toLinePath(values, top)} />
              <path className={styles['points']} d={toPointsPath(values, top)} />
            </g>
          ))}
        </svg>
        {limit && (
          <span className={styles['limit']} style={{ insetBlockEnd: toBottom(limit.value, top) }}>
            <span>{limit.text}</span>
          </span>
        )}
      </>
    ),
    mark: (at, top) =>
      lines.map(({ label, tone, values }) => {
        const value = values[at]
        if (value === undefined) return null
        const position = { insetInlineStart: `${((at + 0.5) / count) * 100}%`, insetBlockEnd: toBottom(value, top) }
        return <span key={label} className={classes(styles['point'], styles[tone])} style={position} />
      }),
  }
}
