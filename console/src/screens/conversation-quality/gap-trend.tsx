import type { ConversationQuality } from '@patchbay/contract/conversation-quality'
import { DayChart } from '../../ui/chart/day-chart.tsx'
import { listDays } from '../../ui/chart/day-periods.ts'
import { drawLines } from '../../ui/chart/draw-lines.tsx'
import { formatScaleSeconds } from '../../ui/chart/line-scale.ts'
import { formatCount } from '../../ui/format/text.ts'
import { formatDuration } from './measures.ts'

interface GapTrendProps extends Pick<ConversationQuality, 'days' | 'total'> {
  period: { from: string; until: string }
  /** The limit of the 95th percentile, if there is one. */
  limitMs: number | null
}

/** Shows how the response gap changes from day to day. Left out if no response was measured. */
export const GapTrend = ({ days, total: { durations }, period, limitMs }: GapTrendProps) => {
  if (durations.gap.count === 0) return null
  const all = listDays(period)
  const byDay = new Map(days.map((day) => [day.day, day.durations.gap]))
  const gaps = all.map((day) => byDay.get(day) ?? { count: 0, p50: null, p95: null })
  return (
    <DayChart
      title="Response gap"
      summary={`Response gap by day: median ${formatDuration(durations.gap.p50)} and 95th percentile ${formatDuration(durations.gap.p95)} over all days`}
      days={all}
      drawing={drawLines(
        [
          { label: 'Median', tone: 'first', values: gaps.map(({ p50 }) => p50 ?? undefined) },
          { label: '95th percentile', tone: 'second', values: gaps.map(({ p95 }) => p95 ?? undefined) },
        ],
        { limit: limitMs === null ? undefined : { value: limitMs, text: `limit ${formatDuration(limitMs)}` } },
      )}
      columns={[
        { label: '95th percentile', cells: gaps.map(({ p95 }) => formatDuration(p95)) },
        { label: 'Median', cells: gaps.map(({ p50 }) => formatDuration(p50)) },
        { label: 'Responses', cells: gaps.map(({ count }) => formatCount(count)) },
      ]}
      formatScale={formatScaleSeconds}
    />
  )
}
