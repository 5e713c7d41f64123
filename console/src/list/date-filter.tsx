import { type DateChoice, unlessToday } from '../routes/date-presets.ts'
import { FilterChip } from '../ui/table/filter-chip.tsx'

const options = [
  { value: 'today', label: 'today' },
  { value: 'yesterday', label: 'yesterday' },
  { value: '7', label: 'last 7 days' },
  { value: '14', label: 'last 14 days' },
  { value: '30', label: 'last 30 days' },
] as const

interface DateFilterProps {
  /** Undefined for today. */
  value: DateChoice | undefined
  /** The chosen period, if it is not one of the presets, such as `since 09:30`. */
  otherPeriod?: string | undefined
  onChange: (date: DateChoice | undefined) => void
}

/** The date filter of recent calls and alerts. */
export const DateFilter = ({ value = 'today', otherPeriod, onChange }: DateFilterProps) => (
  <FilterChip
    label="Date"
    unset="today"
    value={otherPeriod === undefined ? value : 'other'}
    options={otherPeriod === undefined ? options : [{ value: 'other', label: otherPeriod }, ...options]}
    onChange={(date) => date !== 'other' && onChange(unlessToday(date))}
  />
)
