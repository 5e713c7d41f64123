import { formatPercent } from '../../ui/format/percent.ts'
import { countText, formatCount } from '../../ui/format/text.ts'
import { zoneOption } from '../../ui/format/zone-option.ts'

/** Texts of the figures of calls, and of their comparison with last week. */

interface Counts {
  attempts: number
  answered: number
}

/** Returns for example `3 attempts`. */
export const attemptsText = (count: number): string => countText(count, count, ['attempt', 'attempts'])

/** Returns the weekday of today in the chosen time zone, in English, like all texts of the console. */
export const weekdayText = (now = new Date()): string =>
  now.toLocaleDateString('en', { weekday: 'long', ...zoneOption() })

const toRate = ({ attempts, answered }: Counts): number | undefined =>
  attempts === 0 ? undefined : answered / attempts

/** Returns the answered part of the attempts, such as `41.5 %`. A dash without attempts. */
export const rateText = (counts: Counts): string => {
  const rate = toRate(counts)
  return rate === undefined ? '–' : formatPercent(rate)
}

const withSign = (change: number, digits: number): string => {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  return `${change > 0 ? '+' : change < 0 ? '−' : '±'}${Math.abs(change).toLocaleString('en', options)}`
}

/** Compares a number of calls with an earlier one: `+12 % from 250 on`, or `About as many as on`. */
export const changeText = (now: number, before: number): string => {
  if (before === 0) return now === 0 ? 'Also none on' : 'None on'
  const percent = Math.round(((now - before) / before) * 100)
  return percent === 0 ? 'About as many as on' : `${withSign(percent, 0)} % from ${formatCount(before)} on`
}

/** Compares an answer rate with an earlier one: `−2.5 points from 44.0 % on`. */
export const rateChangeText = (now: Counts, before: Counts): string => {
  const [rate, earlier] = [toRate(now), toRate(before)]
  if (earlier === undefined) return 'No calls on'
  if (rate === undefined) return `${rateText(before)} on`
  return `${withSign((rate - earlier) * 100, 1)} points from ${rateText(before)} on`
}
