import { Chart, type ChartProps } from './chart.tsx'
import { toDayPeriods } from './day-periods.ts'

interface DayChartProps extends Omit<ChartProps, 'noun' | 'periods' | 'cursorLabel' | 'tableLabel'> {
  /** Days in UTC as YYYY-MM-DD, up to today. */
  days: readonly string[]
}

/** A chart of the last days, of which today is not over. */
export const DayChart = ({ days, ...props }: DayChartProps) => (
  <Chart
    {...props}
    noun="Day"
    periods={toDayPeriods(days, props.columns)}
    cursorLabel={`${props.title}: day`}
    tableLabel={`${props.title} by day`}
  />
)
