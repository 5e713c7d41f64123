/** Instants of call data: epoch nanoseconds on the line, epoch milliseconds plus the rest in the table. */

const perMillisecond = 1_000_000n

export const split = (nanoseconds: bigint): { milliseconds: number; nanoseconds: number } => {
  const rest = ((nanoseconds % perMillisecond) + perMillisecond) % perMillisecond
  return { milliseconds: Number((nanoseconds - rest) / perMillisecond), nanoseconds: Number(rest) }
}

/** Nanoseconds since the epoch of an instant in RFC 3339 UTC, with up to nine digits of a second. */
export const readInstant = (text: string): bigint => {
  const [seconds = '', fraction = ''] = text.replace(/Z$/, '').split('.')
  return BigInt(Date.parse(`${seconds}Z`)) * perMillisecond + BigInt(fraction.padEnd(9, '0'))
}

/** RFC 3339 UTC: milliseconds, or nine digits where a writer gave more. */
export const writeInstant = (milliseconds: number, nanoseconds: number): string => {
  const iso = new Date(milliseconds).toISOString()
  return nanoseconds === 0 ? iso : `${iso.slice(0, -1)}${String(nanoseconds).padStart(6, '0')}Z`
}
