import type { CallFigures } from '@patchbay/contract/overview'
import { Chart } from '../../ui/chart/chart.tsx'
import { formatScaleCount } from '../../ui/chart/chart-scale.ts'
import { drawBars } from '../../ui/chart/draw-bars.tsx'
import { formatCount } from '../../ui/format/text.ts'
import { zoneOption } from '../../ui/format/zone-option.ts'
import { attemptsText } from './format-figures.ts'

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

const toPeriod = ({ hour, attempts, answered }: Hour) => {
  const time = timeText(hour)
  const description = `${time}: ${attemptsText(attempts)}, ${formatCount(answered)} answered`
  return { key: hour, tick: time, name: time, description }
}

/** Bars of the calls per hour: answered calls, and above them those that were not answered. */
export const HourlyChart = ({ hours }: { hours: Hours }) => (
  <Chart
    title="This hour and the 23 before"
    heading="h3"
    summary={describe(hours)}
    noun="Hour"
    now="now"
    periods={hours.map(toPeriod)}
    drawing={drawBars([
      { label: 'Answered', tone: 'main', counts: hours.map(({ answered }) => answered) },
      { label: 'Not answered', tone: 'soft', counts: hours.map(({ attempts, answered }) => attempts - answered) },
    ])}
    columns={[
      { label: 'Attempts', cells: hours.map(({ attempts }) => formatCount(attempts)) },
      { label: 'Answered', cells: hours.map(({ answered }) => formatCount(answered)) },
    ]}
    formatScale={formatScaleCount}
    cursorLabel="Hour"
    tableLabel="Calls per hour"
  />
)
