import { useQuery } from '@tanstack/react-query'
import { applicationQuery } from '../../api/record-queries.ts'
import type { CallSearch } from '../../routes/recent-calls.ts'
import { written } from '../../ui/format/datetime.ts'
import { type Preferences, usePreferences } from '../../ui/preferences.ts'
import { RemovableFilter } from '../../ui/table/further-filters.tsx'
import { toExtendedFilters } from './call-filters.ts'
import { formatMaxDuration, formatMinDuration } from './duration-filters.ts'

interface ActiveFiltersProps {
  search: CallSearch
  change: (to: CallSearch) => void
}

/** Formats a day in UTC, or an instant in the chosen time zone. */
const formatLimit = (text: string, preferences: Preferences): string => {
  if (!text.includes('T')) return `${text} (UTC)`
  const { date, time } = written(new Date(text), preferences)
  return `${date} ${time}`
}

const formatPeriod = ({ from, until }: CallSearch, preferences: Preferences): string => {
  const [first, last] = [from, until].map((text) => text && formatLimit(text, preferences))
  if (first === last) return first ?? ''
  const isOfDays = !from?.includes('T') && !until?.includes('T')
  return isOfDays
    ? `${from ?? 'the beginning'} to ${until ?? 'now'} (UTC)`
    : `${first ?? 'the beginning'} to ${last ?? 'now'}`
}

const useApplicationName = (application_sid: string | undefined): string | undefined => {
  const { data } = useQuery({ ...applicationQuery(application_sid ?? ''), enabled: application_sid !== undefined })
  return data?.name ?? application_sid
}

/** Shows the filters that have no control in the list as buttons that remove them. */
export const ActiveFilters = ({ search, change }: ActiveFiltersProps) => {
  const { from, until, trunk } = search
  const { result, sip_status, min_duration, max_duration, number, application_sid } = toExtendedFilters(search)
  const preferences = usePreferences()
  const applicationName = useApplicationName(application_sid)
  const activeFilters: readonly (readonly [text: string, without: CallSearch])[] = [
    ...(from || until ? [[formatPeriod(search, preferences), { from: undefined, until: undefined }] as const] : []),
    ...(result ? [[`Result: ${result}`, { result: undefined }] as const] : []),
    ...(number ? [[`Number: ${number}`, { number: undefined }] as const] : []),
    ...(trunk ? [[`Carrier: ${trunk}`, { trunk: undefined }] as const] : []),
    ...(application_sid ? [[`Application: ${applicationName}`, { application_sid: undefined }] as const] : []),
    ...(sip_status
      ? [
          [
            sip_status === '0' ? 'Ended without a status' : `Ended with ${sip_status}`,
            { sip_status: undefined },
          ] as const,
        ]
      : []),
    ...(min_duration ? [[formatMinDuration(min_duration), { min_duration: undefined }] as const] : []),
    ...(max_duration ? [[formatMaxDuration(max_duration), { max_duration: undefined }] as const] : []),
  ]
  return activeFilters.map(([text, without]) => (
    <RemovableFilter key={text} text={text} onRemove={() => change(without)} />
  ))
}
