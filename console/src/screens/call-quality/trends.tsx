import type { CallFigures, CallQuality } from '@patchbay/contract/call-quality'
import { asr, ner, noCalls, pdd } from '@patchbay/rules/calls/call-quality'
import { formatScaleCount } from '../../ui/chart/chart-scale.ts'
import { DayChart } from '../../ui/chart/day-chart.tsx'
import { listDays } from '../../ui/chart/day-periods.ts'
import { drawBars } from '../../ui/chart/draw-bars.tsx'
import { drawLines } from '../../ui/chart/draw-lines.tsx'
import { formatScalePercent, formatScaleSeconds } from '../../ui/chart/line-scale.ts'
import { formatCount } from '../../ui/format/text.ts'
import { formatMeasure } from './measures.ts'
import styles from './quality.module.css'

/** Charts of the calls, of how many were answered, and of the post-dial delay, by day. */

interface TrendProps {
  days: readonly string[]
  figures: readonly CallFigures[]
  total: CallFigures
}

const CallsChart = ({ days, figures, total }: TrendProps) => {
  const toFailed = ({ attempts, delivered }: CallFigures) => attempts - delivered
  const getCounts = (toCount: (day: CallFigures) => number) => ({
    counts: figures.map(toCount),
    cells: figures.map((day) => formatCount(toCount(day))),
  })
  const answered = { label: 'Answered', ...getCounts((day) => day.answered) }
  const others = { label: 'Delivered, not answered', ...getCounts((day) => day.delivered - day.answered) }
  const failed = { label: 'Not delivered or unknown', ...getCounts(toFailed) }
  return (
    <DayChart
      title="Calls"
      summary={`Calls by day: ${formatCount(total.attempts)} attempts, ${formatCount(total.answered)} answered, ${formatCount(toFailed(total))} not delivered or unknown`}
      days={days}
      drawing={drawBars([
        { ...answered, tone: 'main' },
        { ...others, tone: 'soft' },
        { ...failed, tone: 'bad' },
      ])}
      columns={[{ label: 'Attempts', ...getCounts((day) => day.attempts) }, answered, others, failed]}
      formatScale={formatScaleCount}
    />
  )
}

const toPercent = (ratio: number | undefined): number | undefined => (ratio === undefined ? undefined : ratio * 100)

const RatesChart = ({ days, figures, total }: TrendProps) => (
  <DayChart
    title="Answer rate"
    summary={`Answer rate by day: ${formatMeasure('asr', total)} over all days. Network effectiveness: ${formatMeasure('ner', total)}`}
    days={days}
    drawing={drawLines(
      [
        { label: 'Answered (ASR)', tone: 'first', values: figures.map((day) => toPercent(asr(day))) },
        { label: 'Delivered (NER)', tone: 'second', values: figures.map((day) => toPercent(ner(day))) },
      ],
      { highest: 100 },
    )}
    columns={[
      { label: 'ASR', cells: figures.map((day) => formatMeasure('asr', day)) },
      { label: 'NER', cells: figures.map((day) => formatMeasure('ner', day)) },
    ]}
    formatScale={formatScalePercent}
  />
)

const DelayChart = ({ days, figures, total }: TrendProps) => (
  <DayChart
    title="Post-dial delay"
    summary={`Post-dial delay by day: ${formatMeasure('pdd', total)} on average over all days`}
    days={days}
    drawing={drawLines([
      {
        label: 'Average of the calls with a trace',
        tone: 'first',
        values: figures.map((day) => (day.pdd_calls === 0 ? undefined : day.pdd_milliseconds / day.pdd_calls)),
      },
    ])}
    columns={[
      { label: 'Average', cells: figures.map((day) => formatMeasure('pdd', day)) },
      { label: 'Calls measured', cells: figures.map((day) => formatCount(day.pdd_calls)) },
    ]}
    formatScale={formatScaleSeconds}
  />
)

/** Shows how calls and rates change from day to day. The delay is left out if it was measured for no call. */
export const Trends = ({
  quality: { days, total },
  period,
}: {
  quality: CallQuality
  period: { from: string; until: string }
}) => {
  const all = listDays(period)
  const byDay = new Map(days.map((day) => [day.day, day]))
  const props = { days: all, figures: all.map((day) => byDay.get(day) ?? noCalls), total }
  return (
    <div className={styles['trends']}>
      <CallsChart {...props} />
      <RatesChart {...props} />
      {pdd(total) !== undefined && <DelayChart {...props} />}
    </div>
  )
}
