import { Tooltip } from './tooltip.tsx'
import styles from './value.module.css'

const pair = (value: number) => String(Math.floor(value)).padStart(2, '0')

/** Whether a number of seconds is a duration: none is missing, negative or endless. */
export const isDuration = (seconds: number | null | undefined): seconds is number =>
  typeof seconds === 'number' && seconds >= 0 && Number.isFinite(seconds)

/** Seconds as a clock reads them: 07:03, 1:00:07. */
export const formatClock = (seconds: number): string => {
  const hours = Math.floor(seconds / 3600)
  return `${hours > 0 ? `${hours}:` : ''}${pair((seconds % 3600) / 60)}:${pair(seconds % 60)}`
}

/** Seconds in words: 1 hour 2 minutes 3 seconds. */
export const formatDurationLong = (seconds: number): string => {
  const whole = Math.floor(seconds)
  const parts = [
    [Math.floor(whole / 3600), 'hour'],
    [Math.floor((whole % 3600) / 60), 'minute'],
    [whole % 60, 'second'],
  ] as const
  const units = parts.filter(([count]) => count > 0).map(([count, unit]) => `${count} ${unit}${count === 1 ? '' : 's'}`)
  return units.join(' ') || '0 seconds'
}

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
