import { formatClock, formatDurationLong } from '@patchbay/contract/shared/durations'
import { Tooltip } from '../overlay/tooltip.tsx'
import styles from './value.module.css'

/** Returns whether a value is a finite, non-negative number of seconds. */
export const isDuration = (seconds: number | null | undefined): seconds is number =>
  typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds)

export interface DurationProps {
  seconds: number | null | undefined
}

/** Shows a duration like a clock, with units in its tooltip. */
export const Duration = ({ seconds }: DurationProps) => {
  if (!isDuration(seconds)) return '–'
  return (
    <Tooltip text={formatDurationLong(seconds)}>
      {(tipId) => (
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- its tip must be reachable by keyboard
        <time dateTime={`PT${Math.floor(seconds)}S`} tabIndex={0} aria-describedby={tipId} className={styles.number}>
          {formatClock(seconds)}
        </time>
      )}
    </Tooltip>
  )
}
