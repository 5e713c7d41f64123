import { dayMs, minuteMs } from '@patchbay/contract/shared/durations'
import { sql, type Transaction } from 'kysely'
import { type Counters, tryConsume } from '../auth/counters/counters.ts'
import type { AlertRecord } from '../call-data/alerts/alert-record.ts'
import { storeAlerts } from '../call-data/alerts/sql-alerts.ts'
import { blockKinds, describeBlock } from '../call-data/calls/blocked-calls.ts'
import { acquireNamedLock, type Database, inTransaction } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'

/** Raises an alert when outbound calls with a calling number are blocked repeatedly. */

/** Interval of the job. */
export const blockWatchIntervalMs = minuteMs

/** Seconds in which only one process checks. Shorter than the interval, whose timers are not exact. */
const claimSeconds = 50

/** Blocked calls in the period that raise an alert, and the time between two alerts about a number. */
const minBlocked = 5
const periodMs = dayMs

/** Maximum number of alerts of an account in the period, and of numbers per run. */
const maxAlerts = 20
const maxNumbers = 1000

/** The most carriers that an alert names. */
const maxNamedTrunks = 5

export interface BlockWatch {
  database: Database
  counters: Counters
}

interface Candidate {
  account_sid: string
  number: string
}

/** Returns the numbers with enough blocked calls and without an alert in the period, the most blocked ones first. */
const findCandidates = async ({ reader }: Database, since: number): Promise<Candidate[]> => {
  const rows = await reader
    .selectFrom('patchbay_blocked_calls')
    .select(['account_sid', 'number'])
    // The calls of an alert in the period can be a period older than it.
    .where('attempted_at', '>=', since - periodMs)
    .where('direction', '=', 'outbound')
    .where('number', 'is not', null)
    .groupBy(['account_sid', 'number'])
    .having(sql<boolean>`sum(case when attempted_at >= ${since} then 1 else 0 end) >= ${minBlocked}`)
    .having(sql<boolean>`coalesce(max(alerted_at), 0) <= ${since}`)
    .orderBy(sql`count(*)`, 'desc')
    .limit(maxNumbers)
    .execute()
  return rows.flatMap(({ account_sid, number }) => (number === null ? [] : [{ account_sid, number }]))
}

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

interface BlockCount {
  trunk: string
  kind: string
  calls: number
}

const sumCalls = (counts: readonly BlockCount[]): number => counts.reduce((sum, { calls }) => sum + calls, 0)

const formatTrunks = (counts: readonly BlockCount[]): string => {
  const names = [...new Set(counts.map(({ trunk }) => trunk || 'none'))]
  const others = names.length - maxNamedTrunks
  return [...names.slice(0, maxNamedTrunks), ...(others > 0 ? [plural(others, 'other')] : [])].join(', ')
}

const formatAlert = (number: string, counts: readonly BlockCount[]): string => {
  const kinds = blockKinds
    .map((kind) => [sumCalls(counts.filter((one) => one.kind === kind)), describeBlock(kind)] as const)
    .filter(([count]) => count > 0)
    .map(([count, by]) => `${count} ${by}`)
  return (
    `${plural(sumCalls(counts), 'call')} with the calling number ${number} were blocked in the last 24 hours: ` +
    `${kinds.join(', ')}. Carriers: ${formatTrunks(counts)}. ` +
    'Do not repeat the calls at once, and do not switch the carrier to get around the block. Check the registration of ' +
    'the number with the providers of analytics, the attestation of the calls, and the call pattern. The captured SIP ' +
    'of a call can contain the contact of the network that blocked it, to object.'
  )
}

/** Counts the blocked calls of a number by carrier and kind. */
const countCalls = async (
  trx: Transaction<Tables>,
  { account_sid, number }: Candidate,
  since: number,
): Promise<BlockCount[]> => {
  const rows = await trx
    .selectFrom('patchbay_blocked_calls')
    .select(({ fn }) => ['trunk', 'kind', fn.countAll<number | string>().as('calls')])
    .where('account_sid', '=', account_sid)
    .where('attempted_at', '>=', since)
    .where('direction', '=', 'outbound')
    .where('number', '=', number)
    .groupBy(['trunk', 'kind'])
    .orderBy('calls', 'desc')
    .execute()
  return rows.map((row) => ({ ...row, calls: Number(row.calls) }))
}

/** Returns the numbers of an account with an alert in the period. */
const listAlerted = async (trx: Transaction<Tables>, account_sid: string, since: number): Promise<Set<string>> => {
  const rows = await trx
    .selectFrom('patchbay_blocked_calls')
    .select('number')
    .distinct()
    .where('account_sid', '=', account_sid)
    .where('attempted_at', '>=', since - periodMs)
    .where('alerted_at', '>', since)
    .execute()
  return new Set(rows.flatMap(({ number }) => number ?? []))
}

/** Stores the alert, unless another process has, or the account has too many. */
const raise = ({ database }: BlockWatch, candidate: Candidate, now: number): Promise<void> =>
  inTransaction(database, async (trx) => {
    await acquireNamedLock(trx, database.engine, 'alerts of blocked numbers')
    const { account_sid, number } = candidate
    const since = now - periodMs
    const account = await trx
      .selectFrom('accounts')
      .select('service_provider_sid')
      .where('account_sid', '=', account_sid)
      .executeTakeFirst()
    if (account === undefined) return
    const alerted = await listAlerted(trx, account_sid, since)
    const counts = await countCalls(trx, candidate, since)
    if (alerted.has(number) || alerted.size >= maxAlerts || sumCalls(counts) < minBlocked) return
    await trx
      .updateTable('patchbay_blocked_calls')
      .set({ alerted_at: now })
      .where('account_sid', '=', account_sid)
      .where('attempted_at', '>=', since)
      .where('direction', '=', 'outbound')
      .where('number', '=', number)
      .execute()
    const alert: AlertRecord = {
      // The alerts of a run have different times.
      time: BigInt(now) * 1_000_000n + BigInt(alerted.size),
      account_sid,
      service_provider_sid: account.service_provider_sid,
      alert_type: 'calling-number-blocked',
      message: formatAlert(number, counts),
      detail: null,
      target_sid: null,
      vendor: null,
      extra: { calling_number: number, blocked_calls: sumCalls(counts) },
    }
    await storeAlerts(trx, database.engine, [alert])
  })

/** Creates the job, which needs alerts in Patchbay's own table. It runs once per interval, whatever the number of processes. */
export const createBlockWatch =
  (watch: BlockWatch, now: () => number = Date.now): (() => Promise<void>) =>
  async () => {
    const claim = { counter: 'blocked-number-watch', max: 1, seconds: claimSeconds }
    if (!(await tryConsume(watch.counters, claim))) return
    for (const candidate of await findCandidates(watch.database, now() - periodMs)) await raise(watch, candidate, now())
  }
