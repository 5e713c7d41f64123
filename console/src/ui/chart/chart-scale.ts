/** The scale of a chart: its highest value, and the values of its lines without zero, highest first. */
interface ChartScale {
  top: number
  lines: readonly number[]
}

/** Returns a scale of at most four lines at round whole values, the highest of which is at least the highest value. */
export const chartScale = (highest: number): ChartScale => {
  const rough = Math.max(1, highest) / 3
  const power = 10 ** Math.floor(Math.log10(rough))
  const step = Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough)
  const count = Math.max(1, Math.ceil(highest / step))
  return { top: count * step, lines: Array.from({ length: count }, (_, index) => (count - index) * step) }
}

/** Formats a count for the gutter of the scale, which has room for five characters: `1,500` and `20K`. */
export const formatScaleCount = (count: number): string =>
  count.toLocaleString('en', { notation: count < 10_000 ? 'standard' : 'compact' })
