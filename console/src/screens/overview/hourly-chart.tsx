import type { CallFigures } from '@patchbay/contract/overview'
import { formatCount } from '../../ui/format/text.ts'
import { zoneOption } from '../../ui/format/zone-option.ts'
import { attemptsText } from './format-figures.ts'
import styles from './overview.module.css'

type Hours = CallFigures['hours']

const height = 100
const slotWidth = 10
const barWidth = 7

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

/** Bars of the attempts per hour, of which the darker part was answered. */
export const HourlyChart = ({ hours }: { hours: Hours }) => {
  const most = Math.max(1, ...hours.map(({ attempts }) => attempts))
  const toHeight = (calls: number) => (calls / most) * height
  return (
    <figure className={styles['chart']}>
      <figcaption className={styles['chartHead']}>
        <h3>This hour and the 23 before</h3>
        <span className={styles['legend']}>
          <span className={styles['entry']}>
            <span className={styles['attempts']} /> Attempts
          </span>
          <span className={styles['entry']}>
            <span className={styles['answered']} /> Answered
          </span>
        </span>
      </figcaption>
      <svg
        role="img"
        aria-label={describe(hours)}
        viewBox={`0 0 ${hours.length * slotWidth} ${height}`}
        preserveAspectRatio="none"
      >
        {hours.map(({ hour, attempts, answered }, position) => (
          <g key={hour}>
            <title>{`${timeText(hour)}: ${attemptsText(attempts)}, ${formatCount(answered)} answered`}</title>
            <rect className={styles['slot']} x={position * slotWidth} width={slotWidth} height={height} />
            <rect
              className={styles['attempts']}
              x={position * slotWidth + 1}
              y={height - toHeight(attempts)}
              width={barWidth}
              height={toHeight(attempts)}
            />
            <rect
              className={styles['answered']}
              x={position * slotWidth + 1}
              y={height - toHeight(answered)}
              width={barWidth}
              height={toHeight(answered)}
            />
          </g>
        ))}
      </svg>
      <p className={styles['axis']} aria-hidden="true">
        {[0, 6, 12, 18, hours.length - 1].map((position) => (
          <span key={position}>{hours[position] && timeText(hours[position].hour)}</span>
        ))}
      </p>
    </figure>
  )
}
