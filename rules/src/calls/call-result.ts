import type { Call } from '@patchbay/contract/recent-calls'
import type { SelectedResult } from '@patchbay/contract/shared/call-results'

export type CallResult = SelectedResult | 'not answered'

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

/** The statuses that report an error. Others say nothing, and counts store them as unknown if they have no three digits. */
const firstError = 400
const lastError = 999

/** Returns the result of a call as its record proves it. A record without an error status says only that the call was not answered. */
export const getCallResult = ({ answered, sip_status }: Pick<Call, 'answered' | 'sip_status'>): CallResult => {
  const status = sip_status ?? 0
  if (answered) return 'answered'
  return results[status] ?? (status >= firstError && status <= lastError ? 'failed' : 'not answered')
}

/** Selects calls with a result: whether they were answered, and their final status, unless any status has the result. */
export interface ResultCondition {
  answered: boolean
  status?: { in: readonly number[] } | { from: number; until: number; except: readonly number[] }
}

/** Returns the condition that selects exactly the calls for which `getCallResult` returns a result. */
export const toResultCondition = (result: SelectedResult): ResultCondition => {
  const explained = Object.keys(results).map(Number)
  if (result === 'answered') return { answered: true }
  if (result === 'failed') return { answered: false, status: { from: firstError, until: lastError, except: explained } }
  return { answered: false, status: { in: explained.filter((status) => results[status] === result) } }
}
