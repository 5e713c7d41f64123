import type { CallQuality } from '@patchbay/contract/call-quality'
import { dayMs } from '@patchbay/contract/shared/durations'
import { asr, ner, noCalls } from '@patchbay/rules/calls/call-quality'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'
import { formatCount } from '../../ui/format/text.ts'
import 'uplot/dist/uPlot.min.css'
import styles from './chart.module.css'

interface ChartProps {
  days: CallQuality['days']
  /** Days as YYYY-MM-DD, both inclusive. */
  from: string
  until: string
}

const height = 240

/**
 * Returns the columns for uPlot: seconds since the Unix epoch, attempts, and ASR and NER in percent. Days without calls
 * are included.
 */
const toChartData = ({ days, from, until }: ChartProps): uPlot.AlignedData => {
  const figuresByDay = new Map(days.map((day) => [Date.parse(day.day), day]))
  const times: number[] = []
  for (let at = Date.parse(from); at <= Date.parse(until); at += dayMs) times.push(at)
  const figures = times.map((at) => figuresByDay.get(at) ?? noCalls)
  const inPercent = (ratio: number | undefined) => (ratio === undefined ? null : ratio * 100)
  return [
    times.map((at) => at / 1000),
    figures.map(({ attempts }) => attempts),
    figures.map((day) => inPercent(asr(day))),
    figures.map((day) => inPercent(ner(day))),
  ]
}

const legend = [
  { id: 'attempts', label: 'Attempts' },
  { id: 'asr', label: 'ASR, solid line' },
  { id: 'ner', label: 'NER, dashed line' },
] as const

const createChartOptions = (box: HTMLElement, width: number): uPlot.Options => {
  // A canvas cannot use CSS custom properties, so the colors come from the computed styles of the legend.
  const getColor = (id: string) => () => {
    const swatch = box.parentElement?.querySelector(`[data-series="${id}"]`)
    return swatch ? getComputedStyle(swatch).color : 'gray'
  }
  const axis = {
    stroke: getColor('text'),
    grid: { stroke: getColor('line'), width: 1 },
    ticks: { show: false },
    font: '12px "Inter Variable", system-ui, sans-serif',
  }
  const bars = uPlot.paths.bars?.({ size: [0.7, 48] })
  return {
    width,
    height,
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, points: { show: false } },
    tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
    scales: {
      // Half a day of padding on either side makes room for the first and the last bar.
      x: { time: true, range: (_plot, first, last) => [first - 43_200, last + 43_200] },
      calls: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] },
      percent: { range: [0, 100] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        values: (_plot, splits) => splits.map((seconds) => new Date(seconds * 1000).toISOString().slice(5, 10)),
        incrs: [86_400, 2 * 86_400, 7 * 86_400, 14 * 86_400, 28 * 86_400],
      },
      {
        ...axis,
        scale: 'calls',
        size: 56,
        values: (_plot, splits) => splits.map((calls) => formatCount(calls)),
      },
      {
        ...axis,
        scale: 'percent',
        side: 1,
        size: 48,
        grid: { show: false },
        values: (_plot, splits) => splits.map((percent) => `${percent} %`),
      },
    ],
    series: [
      {},
      {
        scale: 'calls',
        fill: getColor('attempts'),
        width: 0,
        ...(bars ? { paths: bars } : {}),
        points: { show: false },
      },
      {
        scale: 'percent',
        stroke: getColor('asr'),
        width: 2,
        points: { show: true, size: 6, fill: getColor('asr') },
      },
      {
        scale: 'percent',
        stroke: getColor('ner'),
        width: 2,
        dash: [6, 4],
        points: { show: true, size: 7, fill: getColor('ground') },
      },
    ],
  }
}

/**
 * Chart of calls per day with ASR and NER. It is hidden from assistive technology because the table of days has the
 * same figures.
 */
export const Chart = (props: ChartProps) => {
  const box = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(null)
  const data = toChartData(props)
  const latest = useRef(data)
  useEffect(() => {
    latest.current = data
    plot.current?.setData(data)
  })
  useEffect(() => {
    const element = box.current
    if (element === null) return undefined
    const chart = new uPlot(createChartOptions(element, element.clientWidth), latest.current, element)
    plot.current = chart
    const sizes = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    sizes.observe(element)
    // The colors are read again when the theme changes.
    const themes = new MutationObserver(() => chart.redraw(true, true))
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] })
    return () => {
      sizes.disconnect()
      themes.disconnect()
      chart.destroy()
      plot.current = null
    }
  }, [])
  return (
    <figure className={styles['figure']} aria-label="Calls per day with ASR and NER">
      <div ref={box} className={styles['plot']} aria-hidden="true" />
      <figcaption className={styles['legend']} aria-hidden="true">
        {legend.map(({ id, label }) => (
          <span key={id} className={styles['entry']}>
            <span className={styles[id]} data-series={id} />
            {label}
          </span>
        ))}
        <span hidden className={styles['text']} data-series="text" />
        <span hidden className={styles['line']} data-series="line" />
        <span hidden className={styles['ground']} data-series="ground" />
      </figcaption>
    </figure>
  )
}
