import { dayMs } from '@patchbay/contract/shared/durations'
import type { DateChoice } from '../../../routes/date-presets.ts'
import type { CheckedSource } from './use-verdict.ts'

const englishList = new Intl.ListFormat('en-US')

/** Says which kinds of call data the verdict includes: `Checked: record and alerts. No data: trace.` */
export const listSources = (sources: readonly CheckedSource[]): string => {
  const names = (state: CheckedSource['state']): string[] =>
    sources.filter((source) => source.state === state).map(({ name }) => name)
  const [loading, empty, failed] = [names('loading'), names('empty'), names('failed')]
  if (loading.length > 0) return `Checking ${englishList.format(loading)}…`
  return [
    `Checked: ${englishList.format(['record', ...names('checked')])}.`,
    ...(empty.length > 0 ? [`No data: ${englishList.format(empty)}.`] : []),
    ...(failed.length > 0 ? [`Could not be loaded: ${englishList.format(failed)}.`] : []),
  ].join(' ')
}

/** Returns the shortest date range of the alert list that contains a time. Undefined for today, the default. */
export const toDatePreset = (iso: string, now = Date.now()): DateChoice | undefined => {
  const at = Date.parse(iso)
  if (at >= new Date(now).setHours(0, 0, 0, 0)) return undefined
  return (['7', '14', '30'] as const).find((days) => at > now - Number(days) * dayMs) ?? '30'
}
