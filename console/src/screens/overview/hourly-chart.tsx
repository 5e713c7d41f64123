import type { CallFigures } from '@patchbay/contract/overview'
import { hourMs } from '@patchbay/contract/shared/durations'
import { recentCalls } from '../../routes/recent-calls.ts'
import { useNavigateTo } from '../../screen/links.tsx'
import { Chart } from '../../ui/chart/chart.tsx'
import { formatScaleCount } from '../../ui/chart/chart-scale.ts'
import { drawBars } from '../../ui/chart/draw-bars.tsx'
import { formatCount } from '../../ui/format/text.ts'
import { zoneOption } from '../../ui/format/zone-option.ts'
import { callsInScope } from './calls-in-scope.ts'
import { attemptsText } from './format-figures.ts'

type Hours = CallFigures['hours']
type Hour = Hours[number]

/** Returns the time of the day in the chosen time zone, such as `14:00`. */
const timeText = (iso: string): string =>
  new Date(iso).toLocaleTimeString('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...zoneOption() })

/** Describes the chart for assistive technology. */
const describe = (hours: Hours): string => {
  const getSum = (of: 'attempts' | 'answered') => hours.reduce((sum, hour) => sum + hour[of], 0)
  const busiest = hours.reduce((most, hour) => (hour.attempts > most.attempts ? hour : most))
  return `Calls of this hour and the 23 before: ${attemptsText(getSum('attempts'))}, ${formatCount(getSum('answered'))} answered, most of them at ${timeText(busiest.hour)} with ${attemptsText(busiest.attempts)}`
}

const toPeriod = ({ hour, attempts, answered }: Hour) => {
  const time = timeText(hour)
  const description = `${time}: ${attemptsText(attempts)}, ${formatCount(answered)} answered`
  return { key: hour, tick: time, name: time, description }
}

/** Bars of the calls per hour: answered calls, and above them those that were not answered. An hour opens its calls. */
export const HourlyChart = ({ hours }: { hours: Hours }) => {
  const navigateTo = useNavigateTo()
  const openCalls = ({ hour }: Hour) => {
    const until = new Date(Date.parse(hour) + hourMs - 1).toISOString()
    return navigateTo({ to: recentCalls, search: { ...callsInScope(), from: hour, until } })
  }
  const attempted = hours.map(({ attempts }) => attempts)
  const answered = hours.map((hour) => hour.answered)
  return (
    <Chart
      title="This hour and the 23 before"
      heading="h3"
      summary={describe(hours)}
      noun="Hour"
      periods={hours.map(toPeriod)}
      drawing={drawBars([
        { label: 'Answered', tone: 'main', counts: answered },
        { label: 'Not answered', tone: 'soft', counts: hours.map((hour) => hour.attempts - hour.answered) },
      ])}
      columns={[
        { label: 'Attempts', cells: attempted.map(formatCount) },
        { label: 'Answered', cells: answered.map(formatCount) },
      ]}
      formatScale={formatScaleCount}
      cursorLabel="Hour"
      tableLabel="Calls per hour"
      onOpen={(at) => hours[at] && void openCalls(hours[at])}
    />
  )
}
