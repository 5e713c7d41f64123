import type { Metric, MetricValueWithName, Registry } from 'prom-client'

/**
 * A histogram of durations for events that occur several times per request. prom-client's own histogram sorts and joins
 * the labels of each observation, which takes longer than everything else. This one finds its counts by a key.
 */
export interface DurationHistogram<L extends string> {
  /**
   * Counts a duration.
   * @param key identifies the label values
   * @param createLabels called for the first observation of a key. Keys must be few, because they are never removed
   */
  observe(key: string, seconds: number, createLabels: () => Readonly<Record<L, string>>): void
}

export interface HistogramOptions<L extends string> {
  name: string
  help: string
  labelNames: readonly L[]
  /** Upper limits in seconds, ascending. */
  buckets: readonly number[]
}

interface Series {
  labels: Readonly<Record<string, string>>
  /** Number of durations per bucket. The last one counts those above all limits. */
  counts: number[]
  sum: number
}

const createValues = (
  name: string,
  buckets: readonly number[],
  { labels, counts, sum }: Series,
): MetricValueWithName<string>[] => {
  let count = 0
  const bucketValues = [...buckets, '+Inf'].map((le, position) => {
    count += counts[position] ?? 0
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count }
  })
  return [
    ...bucketValues,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ]
}

/** Creates a histogram and registers it. */
export const createDurationHistogram = <L extends string>(
  registry: Registry,
  { name, help, labelNames, buckets }: HistogramOptions<L>,
): DurationHistogram<L> => {
  const seriesByKey = new Map<string, Series>()
  const addSeries = (key: string, labels: Readonly<Record<string, string>>): Series => {
    const series = { labels, counts: Array.from({ length: buckets.length + 1 }, () => 0), sum: 0 }
    seriesByKey.set(key, series)
    return series
  }
  const metric = {
    name,
    type: 'histogram',
    labelNames,
    get: () =>
      Promise.resolve({
        name,
        help,
        type: 'histogram',
        aggregator: 'sum',
        values: [...seriesByKey.values()].flatMap((series) => createValues(name, buckets, series)),
      }),
  }
  // The registry uses only these members, but its types name the classes of prom-client.
  registry.registerMetric(metric as unknown as Metric)
  return {
    observe(key, seconds, createLabels) {
      const series = seriesByKey.get(key) ?? addSeries(key, createLabels())
      let bucket = 0
      while (bucket < buckets.length && seconds > (buckets[bucket] ?? 0)) bucket += 1
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1
      series.sum += seconds
    },
  }
}
