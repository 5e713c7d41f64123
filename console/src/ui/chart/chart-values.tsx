import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import styles from './chart.module.css'
import type { ChartColumn, ChartDrawing, ChartPeriod } from './chart-model.ts'

export interface ValuesProps {
  /** The kind of a period. The last one is not over. */
  noun: 'Hour' | 'Day'
  periods: readonly ChartPeriod[]
  columns: readonly ChartColumn[]
  drawing: ChartDrawing
  /** The value at the upper edge. */
  top: number
  /** The names of the strip with the values, and of the table, if a page has several charts. */
  cursorLabel: string
  tableLabel: string
  /** Opens what a period consists of, after a click or Enter. */
  onOpen?: (at: number) => void
}

/** The values of a period, beside it: at its left in the right half of the chart, and always inside of the chart. */
const Values = ({ periods, columns, at }: Pick<ValuesProps, 'periods' | 'columns'> & { at: number }) => {
  const isRight = at >= periods.length / 2
  const beside = `min(${((isRight ? periods.length - at : at + 1) / periods.length) * 100}%, 100% - 14rem)`
  return (
    <dl className={styles['values']} style={isRight ? { insetInlineEnd: beside } : { insetInlineStart: beside }}>
      <div>
        <dt>{periods[at]?.name}</dt>
        <dd>{at === periods.length - 1 ? 'not over' : ''}</dd>
      </div>
      {columns.map(({ label, cells }) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{cells[at]}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Returns the position that a key moves to, or undefined for other keys. */
const moveBy = (key: string, at: number, last: number): number | undefined =>
  ({ ArrowLeft: Math.max(0, at - 1), ArrowRight: Math.min(last, at + 1), Home: 0, End: last })[key]

/** A strip over the chart: the pointer and the arrow keys choose the period whose values are displayed, and open it. */
const ChartCursor = ({ periods, columns, drawing, top, cursorLabel, onOpen }: ValuesProps) => {
  const last = periods.length - 1
  const [chosen, setChosen] = useState(last)
  const [isVisible, setVisible] = useState(false)
  // A shorter time can be chosen meanwhile.
  const at = Math.min(chosen, last)
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setChosen(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * periods.length))))
    setVisible(true)
  }
  const move = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onOpen?.(at)
    const next = moveBy(event.key, at, last)
    if (next === undefined) return
    event.preventDefault()
    setChosen(next)
  }
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label={cursorLabel}
      aria-valuemax={last}
      aria-valuenow={at}
      aria-valuetext={periods[at]?.description}
      className={styles['cursor']}
      onPointerMove={point}
      onPointerLeave={() => setVisible(false)}
      onFocus={() => setVisible(true)}
      onBlur={() => setVisible(false)}
      onKeyDown={move}
      onClick={onOpen && (() => onOpen(at))}
    >
      {isVisible && (
        <>
          <span
            className={styles['slot']}
            style={{ insetInlineStart: `${(at / periods.length) * 100}%`, inlineSize: `${100 / periods.length}%` }}
          />
          {drawing.mark?.(at, top)}
          <Values periods={periods} columns={columns} at={at} />
        </>
      )}
    </div>
  )
}

const ChartTable = ({ noun, periods, columns, tableLabel }: ValuesProps) => (
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

/** The values of a chart: those of a period at the pointer and the arrow keys, and all of them in a table. */
export const ChartValues = (props: ValuesProps) => (
  <>
    <ChartCursor {...props} />
    {/* A table would be as wide as its columns, also when it is hidden. */}
    <div className="visually-hidden">
      <ChartTable {...props} />
    </div>
  </>
)
