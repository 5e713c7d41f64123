import type { CallFigures } from '@patchbay/contract/overview'
import { type KeyboardEvent, type PointerEvent, useState } from 'react'
import { classes } from '../../ui/classes.ts'
import { formatCount } from '../../ui/format/text.ts'
import { zoneOption } from '../../ui/format/zone-option.ts'
import { chartScale } from './chart-scale.ts'
import { attemptsText } from './format-figures.ts'
import styles from './hourly-chart.module.css'

type Hours = CallFigures['hours']
type Hour = Hours[number]

/** Returns the time of the day in the chosen time zone, such as `14:00`. */
const timeText = (iso: string): string =>
  new Date(iso).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...zoneOption() })

/** Describes the chart for assistive technology. */
const describe = (hours: Hours): string => {
  const attempts = hours.reduce((sum, hour) => sum + hour.attempts, 0)
  const answered = hours.reduce((sum, hour) => sum + hour.answered, 0)
  const busiest = hours.reduce((most, hour) => (hour.attempts > most.attempts ? hour : most))
  return `Calls of this hour and the 23 before: ${attemptsText(attempts)}, ${formatCount(answered)} answered, most of them at ${timeText(busiest.hour)} with ${attemptsText(busiest.attempts)}`
}

const describeHour = ({ hour, attempts, answered }: Hour): string =>
  `${timeText(hour)}: ${attemptsText(attempts)}, ${formatCount(answered)} answered`

const Legend = () => (
  <span className={styles['legend']}>
    <span>
      <i className={styles['answered']} /> Answered
    </span>
    <span>
      <i className={styles['unanswered']} /> Not answered
    </span>
    <span>
      <i className={styles['unfinished']} /> Hour not over
    </span>
  </span>
)

/** The values of an hour, beside its bar: at its left in the right half of the chart. */
const Values = ({ hours, at }: { hours: Hours; at: number }) => {
  const hour = hours[at]
  if (hour === undefined) return null
  const isRight = at >= hours.length / 2
  const beside = `${((isRight ? hours.length - at : at + 1) / hours.length) * 100}%`
  return (
    <dl className={styles['values']} style={isRight ? { insetInlineEnd: beside } : { insetInlineStart: beside }}>
      <div>
        <dt>{timeText(hour.hour)}</dt>
        <dd>{at === hours.length - 1 ? 'not over' : ''}</dd>
      </div>
      <div>
        <dt>Attempts</dt>
        <dd>{formatCount(hour.attempts)}</dd>
      </div>
      <div>
        <dt>Answered</dt>
        <dd>{formatCount(hour.answered)}</dd>
      </div>
    </dl>
  )
}

/** Returns the position that a key moves to, or undefined for other keys. */
const moveBy = (key: string, at: number, last: number): number | undefined => {
  if (key === 'ArrowLeft') return Math.max(0, at - 1)
  if (key === 'ArrowRight') return Math.min(last, at + 1)
  return key === 'Home' ? 0 : key === 'End' ? last : undefined
}

/** A strip over the bars: the pointer and the arrow keys choose the hour whose values are displayed. */
const HourCursor = ({ hours }: { hours: Hours }) => {
  const last = hours.length - 1
  const [at, setAt] = useState(last)
  const [isVisible, setVisible] = useState(false)
  const chosen = hours[at] ?? hours[last]
  const point = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect()
    setAt(Math.min(last, Math.max(0, Math.floor(((clientX - left) / width) * hours.length))))
    setVisible(true)
  }
  const move = (event: KeyboardEvent) => {
    const next = moveBy(event.key, at, last)
    if (next === undefined) return
    event.preventDefault()
    setAt(next)
  }
  return (
    <div
      role="slider"
      tabIndex={0}
      aria-label="Hour"
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={at}
      aria-valuetext={chosen && describeHour(chosen)}
      className={styles['cursor']}
      onPointerMove={point}
      onPointerLeave={() => setVisible(false)}
      onFocus={() => setVisible(true)}
      onBlur={() => setVisible(false)}
      onKeyDown={move}
    >
      {isVisible && (
        <>
          <span
            className={styles['slot']}
            style={{ insetInlineStart: `${(at / hours.length) * 100}%`, inlineSize: `${100 / hours.length}%` }}
          />
          <Values hours={hours} at={at} />
        </>
      )}
    </div>
  )
}

/** Every sixth hour has its time below its bar. */
const labelEvery = 6

const Axis = ({ hours }: { hours: Hours }) => (
  <p className={styles['axis']} aria-hidden="true">
    {hours.map(({ hour }, position) => (
      <span key={hour}>
        {position % labelEvery === 0 && <span>{timeText(hour)}</span>}
        {position === hours.length - 1 && <span className={styles['now']}>now</span>}
      </span>
    ))}
  </p>
)

/** Bars of the calls per hour: answered calls, and above them those that were not answered. */
export const HourlyChart = ({ hours }: { hours: Hours }) => {
  const { top, lines } = chartScale(Math.max(...hours.map(({ attempts }) => attempts)))
  const toHeight = (calls: number) => ({ blockSize: `${(calls / top) * 100}%` })
  return (
    <figure className={styles['chart']}>
      <figcaption className={styles['head']}>
        <h3>This hour and the 23 before</h3>
        <Legend />
      </figcaption>
      <div className={styles['plot']}>
        {lines.map((calls) => (
          <span
            key={calls}
            className={styles['line']}
            style={{ insetBlockEnd: `${(calls / top) * 100}%` }}
            aria-hidden="true"
          >
            <span>{formatCount(calls)}</span>
          </span>
        ))}
        <div role="img" aria-label={describe(hours)} className={styles['bars']}>
          {hours.map(({ hour, attempts, answered }, position) => (
            <div key={hour} className={classes(styles['bar'], position === hours.length - 1 && styles['unfinished'])}>
              {attempts > answered && <i className={styles['unanswered']} style={toHeight(attempts - answered)} />}
              {answered > 0 && <i className={styles['answered']} style={toHeight(answered)} />}
            </div>
          ))}
        </div>
        <HourCursor hours={hours} />
      </div>
      <Axis hours={hours} />
      <table className="visually-hidden" aria-label="Calls per hour">
        <thead>
          <tr>
            <th scope="col">Hour</th>
            <th scope="col">Attempts</th>
            <th scope="col">Answered</th>
          </tr>
        </thead>
        <tbody>
          {hours.map(({ hour, attempts, answered }) => (
            <tr key={hour}>
              <th scope="row">{timeText(hour)}</th>
              <td>{attempts}</td>
              <td>{answered}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  )
}
