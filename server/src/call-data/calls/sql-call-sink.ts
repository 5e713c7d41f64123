import { type Database, insertIgnoringDuplicates, inTransaction } from '../../database/engine.ts'
import { addBlockedRecords } from './blocked-calls.ts'
import { applicationCounts, hourCounts, outcomeCounts } from './call-counts.ts'
import { addToDays } from './call-day-counts.ts'
import { callKey, truncate } from './call-key.ts'
import type { CallRecord } from './call-record.ts'
import type { CallSink } from './calls.ts'
import { addToCounts } from './count-table.ts'
import { split } from './nanosecond-timestamps.ts'
import { rateCalls } from './rate-calls.ts'

const toRow = (record: CallRecord) => {
  const { milliseconds: attempted_at, nanoseconds: attempted_ns } = split(record.time)
  const { time: _time, extra, ...call } = record
  return {
    ...call,
    attempted_at,
    attempted_ns,
    call_key: callKey(record),
    answered: call.answered ? (1 as const) : (0 as const),
    from: truncate(call.from),
    to: truncate(call.to),
    host: truncate(call.host),
    remote_host: truncate(call.remote_host),
    trunk: truncate(call.trunk),
    sip_callid: truncate(call.sip_callid),
    sip_parent_callid: truncate(call.sip_parent_callid),
    termination_reason: truncate(call.termination_reason),
    recording_url: truncate(call.recording_url, 1024),
    extra: Object.keys(extra).length === 0 ? null : JSON.stringify(extra),
  }
}

/** Stores call records, and what is counted of them, in Patchbay's own tables. */
export const createSqlCallSink = (database: Database): CallSink => ({
  async store(records) {
    const { engine } = database
    await inTransaction(database, async (trx) => {
      const added = await insertIgnoringDuplicates(trx, engine, 'patchbay_calls', records.map(toRow))
      await addToCounts(trx, engine, hourCounts, added)
      await addToCounts(trx, engine, outcomeCounts, added)
      await addToCounts(trx, engine, applicationCounts, added)
      await addToDays(trx, engine, added)
      await addBlockedRecords(trx, engine, added)
    })
  },
  rate: (ratings) => rateCalls(database, ratings),
})
