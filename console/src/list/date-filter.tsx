import { FilterSelect } from '../ui/filter-bar.tsx'
import { type DateChoice, unlessToday } from '../routes/date-presets.ts'

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
  onChange: (date: DateChoice | undefined) => void
}

/** The date filter of recent calls and alerts. */
export const DateFilter = ({ value = 'today', onChange }: DateFilterProps) => (
  <FilterSelect label="Date" value={value} options={options} onChange={(date) => onChange(unlessToday(date))} />
)
