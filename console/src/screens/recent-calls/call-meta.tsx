import type { Call } from '@patchbay/contract/recent-calls'
import { formatClock, formatDurationLong } from '@patchbay/contract/shared/durations'
import { DateTime } from '../../ui/format/time.tsx'
import { getCallTimes } from './call-times.ts'

/** The facts of a call below its title, as far as its record proves them. */
export const CallMeta = ({ call }: { call: Call }) => {
  const { waiting, talking } = getCallTimes(call)
  const wait = waiting === undefined ? undefined : formatDurationLong(Math.round(waiting))
  return (
    <>
      <DateTime iso={call.attempted_at} />
      {call.direction && <span>{call.direction}</span>}
      {talking !== undefined && <span>{formatClock(Math.round(talking))} talking</span>}
      {wait && <span>{call.answered ? `answered after ${wait}` : `not answered, ${wait}`}</span>}
    </>
  )
}
