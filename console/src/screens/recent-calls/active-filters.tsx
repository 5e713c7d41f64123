import { useQuery } from '@tanstack/react-query'
import { applicationQuery } from '../../api/record-queries.ts'
import type { CallSearch } from '../../routes/recent-calls.ts'
import { written } from '../../ui/format/datetime.ts'
import { type Preferences, usePreferences } from '../../ui/preferences.ts'
import { RemovableFilter } from '../../ui/table/removable-filter.tsx'
import { toExtendedFilters } from './call-filters.ts'
import { formatMaxDuration, formatMinDuration } from './duration-filters.ts'

interface ActiveFiltersProps {
  search: CallSearch
  change: (to: CallSearch) => void
}

interface ActiveFilter {
  label?: string
  /** Empty or undefined if the filter is not set. */
  value: string | undefined
  without: CallSearch
}

const formatStatus = (sip_status: string): string =>
  sip_status === '0' ? 'Ended without a status' : `Ended with ${sip_status}`

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
  const period = from || until ? formatPeriod(search, preferences) : undefined
  const activeFilters: readonly ActiveFilter[] = [
    { value: period, without: { from: undefined, until: undefined } },
    { label: 'Result', value: result, without: { result: undefined } },
    { label: 'Number', value: number, without: { number: undefined } },
    { label: 'Carrier', value: trunk, without: { trunk: undefined } },
    { label: 'Application', value: applicationName, without: { application_sid: undefined } },
    { value: sip_status && formatStatus(sip_status), without: { sip_status: undefined } },
    { value: min_duration && formatMinDuration(min_duration), without: { min_duration: undefined } },
    { value: max_duration && formatMaxDuration(max_duration), without: { max_duration: undefined } },
  ]
  return activeFilters.map(
    ({ label, value, without }) =>
      value && (
        <RemovableFilter key={value} {...(label ? { label } : {})} value={value} onRemove={() => change(without)} />
      ),
  )
}
