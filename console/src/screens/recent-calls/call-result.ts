import type { Call } from '@patchbay/contract/recent-calls'

export type CallResult = 'answered' | 'busy' | 'no answer' | 'not answered' | 'cancelled' | 'failed'

/**
 * Statuses of calls that did not fail, and those that do not prove a failure: the other side gave no response in time (408),
 * which can be a called party who does not answer, and the called party, or its provider, declined (603, 607).
 */
const results: Readonly<Partial<Record<number, CallResult>>> = {
  408: 'not answered',
  480: 'no answer',
  486: 'busy',
  487: 'cancelled',
  600: 'busy',
  603: 'not answered',
  607: 'not answered',
}

/** Returns the result of a call as its record proves it. A record without an error status says only that the call was not answered. */
export const getCallResult = ({ answered, sip_status }: Pick<Call, 'answered' | 'sip_status'>): CallResult => {
  const status = sip_status ?? 0
  if (answered) return 'answered'
  return results[status] ?? (status < 400 ? 'not answered' : 'failed')
}
