import type { AlertRecord } from '../alerts/alert-record.ts'
import type { CallRecord } from '../calls/call-record.ts'
import { findAccountOfLine } from '../logs/log-lines.ts'
import type { LogSink } from '../logs/logs.ts'
import type { TracePart, TraceSink } from '../traces/traces.ts'
import type { Quotas } from './quotas.ts'

/**
 * Sinks that enforce account quotas. Records without a known account are not limited: captured SIP, spans without
 * `accountSid`, and log lines that do not name their account.
 */

type Kind = Parameters<Quotas['admit']>[0]

/** Returns the records that may be stored. If an account exceeds its quota, only its first records are returned. */
const admit = async <T>(
  quotas: Quotas,
  kind: Kind,
  records: readonly T[],
  getAccount: (record: T) => string | null | undefined,
  countRows: (record: T) => number = () => 1,
): Promise<T[]> => {
  const counts = new Map<string, number>()
  for (const record of records) {
    const account_sid = getAccount(record)
    if (account_sid) counts.set(account_sid, (counts.get(account_sid) ?? 0) + countRows(record))
  }
  for (const [account_sid, count] of counts) counts.set(account_sid, await quotas.admit(kind, account_sid, count))
  return records.filter((record) => {
    const account_sid = getAccount(record)
    if (!account_sid) return true
    const remaining = counts.get(account_sid) ?? 0
    counts.set(account_sid, remaining - countRows(record))
    return remaining >= countRows(record)
  })
}

/** Returns the call records that their accounts may still store today. */
export const admitCalls = (quotas: Quotas, records: readonly CallRecord[]): Promise<CallRecord[]> =>
  admit(quotas, 'calls', records, ({ account_sid }) => account_sid)

/** Returns the alerts that their accounts may still store today. */
export const admitAlerts = (quotas: Quotas, records: readonly AlertRecord[]): Promise<AlertRecord[]> =>
  admit(quotas, 'alerts', records, ({ account_sid }) => account_sid)

/** Wraps a sink of spans. Spans over the quota of their account are rejected. */
export const limitedTraces = (sink: TraceSink, quotas: Quotas): TraceSink => ({
  async storeParts(parts) {
    const countSpans = (counted: readonly TracePart[]) => counted.reduce((sum, { spans }) => sum + spans, 0)
    const admittedParts = await admit(
      quotas,
      'spans',
      parts,
      ({ account_sid }) => account_sid,
      ({ spans }) => spans,
    )
    const rejected = countSpans(parts) - countSpans(admittedParts)
    return admittedParts.length > 0 ? rejected + (await sink.storeParts(admittedParts)) : rejected
  },
})

/** Wraps a sink of log lines. Lines over the quota of their account are not stored. */
export const limitedLogs = (sink: LogSink, quotas: Quotas): LogSink => ({
  async store(lines) {
    const admittedLines = await admit(quotas, 'log lines', lines, ({ text }) => findAccountOfLine(text))
    return admittedLines.length > 0 ? sink.store(admittedLines) : 0
  },
})
