import { type Counters, tryConsume } from '../auth/counters/counters.ts'

/** A process that dies is replaced after this time. A batch takes a few seconds. */
const claim = { counter: 'alert-return', max: 1, seconds: 120 }

export interface AlertReturnOptions {
  /** Returns alerts to the database, and whether none is left. */
  returnAlerts: (onProgress: () => Promise<unknown>) => Promise<boolean>
  counters: Counters
}

/** Creates the job that returns the alerts that an earlier version has moved to ClickHouse, in one process at a time. */
export const createAlertReturn = ({ returnAlerts, counters }: AlertReturnOptions): (() => Promise<void>) => {
  let isComplete = false
  return async () => {
    if (isComplete || !(await tryConsume(counters, claim))) return
    isComplete = await returnAlerts(() => counters.increment(claim.counter, claim.seconds))
  }
}
