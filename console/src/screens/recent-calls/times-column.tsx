import type { Call } from '@patchbay/contract/recent-calls'
import { formatClock } from '@patchbay/contract/shared/durations'
import type { TableColumn } from '../../ui/table/table-props.ts'
import { getCallTimes } from './call-times.ts'
import styles from './times-column.module.css'

/** Returns the seconds from the attempt to the end. All bars of a page share the scale of the longest call. */
const getLength = (call: Call): number => {
  const { waiting = 0, talking = 0 } = getCallTimes(call)
  return waiting + talking
}

/** Draws the wait for the answer dashed, and the talk solid. Nothing is drawn that the record does not prove. */
const drawTimes = (call: Call, longest: number) => {
  const { waiting, talking } = getCallTimes(call)
  if (waiting === undefined) return null
  const toWidth = (seconds: number) => ({ inlineSize: `${(seconds / longest) * 100}%` })
  const wait = `${formatClock(Math.round(waiting))} until the ${call.answered ? 'answer' : 'end'}`
  const label = talking === undefined ? wait : `${wait}, ${formatClock(Math.round(talking))} talking`
  return (
    <span role="img" aria-label={label} title={label} className={styles['times']}>
      <i style={toWidth(waiting)} />
      {talking !== undefined && <b style={toWidth(talking)} />}
    </span>
  )
}

/** The column of the times of calls, on the scale of the longest of them. */
export const timesColumn = (calls: readonly Call[]): TableColumn<Call> => {
  const longest = Math.max(1, ...calls.map(getLength))
  return {
    id: 'times',
    header: 'Wait and talk',
    headerCell: (
      <>
        <span className="visually-hidden">Wait and talk, </span>0 to {formatClock(Math.ceil(longest))}
      </>
    ),
    share: 9,
    nowrap: true,
    priority: 5,
    cell: (call) => drawTimes(call, longest),
  }
}
