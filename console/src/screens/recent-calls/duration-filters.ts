import { formatDurationLong } from '@patchbay/contract/shared/durations'
import { countedDurations } from '@patchbay/rules/calls/call-durations'

/** The filters by duration. The server counts calls by `countedDurations`, so these choices are fast. */

export const formatMinDuration = (seconds: string): string => `At least ${formatDurationLong(Number(seconds))}`

/** Formats an inclusive maximum. The counted durations are the first that a call does not reach. */
export const formatMaxDuration = (seconds: string): string =>
  countedDurations.some((counted) => counted === Number(seconds) + 1)
    ? `Less than ${formatDurationLong(Number(seconds) + 1)}`
    : `At most ${formatDurationLong(Number(seconds))}`

const toOptions = (values: readonly string[], chosen: string, format: (seconds: string) => string) => [
  { value: '', label: 'any' },
  ...[...new Set([...values, ...(chosen === '' ? [] : [chosen])])]
    .toSorted((a, b) => Number(a) - Number(b))
    .map((value) => ({ value, label: format(value) })),
]

/** Returns the counted durations, and the one from the URL if it is not among them. */
export const toMinDurationOptions = (chosen: string) =>
  toOptions(countedDurations.map(String), chosen, (seconds) => formatDurationLong(Number(seconds)))

/** Returns the longest durations below the counted ones, and the one from the URL if it is not among them. */
export const toMaxDurationOptions = (chosen: string) =>
  toOptions(
    countedDurations.map((counted) => String(counted - 1)),
    chosen,
    (seconds) => formatMaxDuration(seconds).toLowerCase(),
  )
