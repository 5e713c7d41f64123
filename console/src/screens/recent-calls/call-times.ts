import type { Call } from '@patchbay/contract/recent-calls'

type Times = Pick<Call, 'answered' | 'attempted_at' | 'answered_at' | 'terminated_at'>

const getSeconds = (from: string | null, until: string | null): number | undefined => {
  const seconds = (Date.parse(until ?? '') - Date.parse(from ?? '')) / 1000
  return seconds >= 0 ? seconds : undefined
}

/**
 * Returns how many seconds a call waited for its answer, or for its end without one, and how many it was talked after the
 * answer. Undefined as far as the record has no times that prove it.
 */
export const getCallTimes = ({ answered, attempted_at, answered_at, terminated_at }: Times) => {
  const waiting = getSeconds(attempted_at, answered ? answered_at : terminated_at)
  // Servers of jambonz return 1970 for a missing time, which is before the attempt.
  const isProven = answered && waiting !== undefined
  return { waiting, talking: isProven ? getSeconds(answered_at, terminated_at) : undefined }
}
