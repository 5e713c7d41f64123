export const minuteMs = 60_000
export const hourMs = 60 * minuteMs
export const dayMs = 24 * hourMs

const twoDigits = (value: number): string => String(value).padStart(2, '0')

/** Formats seconds like a clock: 07:03, 1:00:07. Negative numbers count as 0. */
export const formatClock = (seconds: number): string => {
  const whole = Math.max(0, Math.floor(seconds))
  const hours = Math.floor(whole / 3600)
  return `${hours > 0 ? `${hours}:` : ''}${twoDigits(Math.floor((whole % 3600) / 60))}:${twoDigits(whole % 60)}`
}

/** Formats seconds in words: 1 hour 2 minutes 3 seconds. */
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

/** A silence in a conversation is reported if neither side speaks for this long. */
export const longSilenceMs = 4000
