/**
 * Timestamps of call data. Line protocol has nanoseconds since the Unix epoch. Tables store milliseconds, and the
 * remaining nanoseconds in a second column.
 */

const perMillisecond = 1_000_000n

/** Splits a timestamp in nanoseconds into milliseconds and the remaining nanoseconds, from 0 to 999,999. */
export const split = (nanoseconds: bigint): { milliseconds: number; nanoseconds: number } => {
  const rest = ((nanoseconds % perMillisecond) + perMillisecond) % perMillisecond
  return { milliseconds: Number((nanoseconds - rest) / perMillisecond), nanoseconds: Number(rest) }
}

/** Returns a timestamp in nanoseconds. The inverse of `split`. */
export const toNanoseconds = (milliseconds: number, nanoseconds: number): bigint =>
  BigInt(milliseconds) * perMillisecond + BigInt(nanoseconds)

/** Parses an RFC 3339 UTC timestamp with up to nine fractional digits. Returns nanoseconds since the Unix epoch. */
export const readInstant = (text: string): bigint => {
  const [seconds = '', fraction = ''] = text.replace(/Z$/, '').split('.')
  return BigInt(Date.parse(`${seconds}Z`)) * perMillisecond + BigInt(fraction.padEnd(9, '0'))
}

/**
 * Formats a timestamp as RFC 3339 UTC with milliseconds, or with nine fractional digits if the writer sent nanoseconds.
 */
export const writeInstant = (milliseconds: number, nanoseconds: number): string => {
  const iso = new Date(milliseconds).toISOString()
  return nanoseconds === 0 ? iso : `${iso.slice(0, -1)}${String(nanoseconds).padStart(6, '0')}Z`
}
