import { dateText, type Moment, type Reading, recentDay, toDate, written } from '../ui/format/datetime.ts'
import { DateTime, type TimeProps, useMinute } from '../ui/format/time.tsx'
import { usePreferences } from '../ui/preferences.ts'
import type { RowGroup } from '../ui/table/table-props.ts'

/** Returns the day of a time, as a heading: today and yesterday by name, and the date of each day. */
export const toDayGroup = (at: Date, now: Date, reading: Reading): RowGroup => {
  const name = recentDay(at, now, reading)
  const date = dateText(at, now, reading, { weekday: 'long', month: 'long' })
  return name === undefined ? { name: date } : { name, note: date }
}

// Intl is slow, and many rows have the same day.
const dayGroups = new Map<string, RowGroup>()

/** Returns a function that groups the rows of a table by the day of their time. */
export const useDayGroups = <Row,>(getTime: (row: Row) => Moment): ((row: Row) => RowGroup) => {
  const reading = usePreferences()
  const now = useMinute()
  const today = written(now, reading).date
  return (row) => {
    const at = toDate(getTime(row))
    if (at === undefined) return { name: 'Without a time' }
    const key = written(at, reading).date + today
    const group = dayGroups.get(key) ?? toDayGroup(at, now, reading)
    dayGroups.set(key, group)
    return group
  }
}

const clockText = (at: Date, _now: Date, reading: Reading): string => written(at, reading).time

/** The time of an event to the second, in a row below the name of its day. The tooltip shows the rest. */
export const ClockTime = (props: TimeProps) => <DateTime {...props} toText={clockText} />
