import type { Call } from '@patchbay/contract/recent-calls'
import { dayMs, minuteMs } from '@patchbay/contract/shared/durations'
import { toDayNumber } from '@patchbay/rules/calls/call-quality'
import { findNetworkBlock } from '@patchbay/rules/sip/network-block'
import { parseSip } from '@patchbay/rules/sip/parser'
import { isBlockedStatus } from '@patchbay/rules/sip/statuses'
import type { Selectable, Transaction } from 'kysely'
import { type Counters, tryConsume } from '../auth/counters/counters.ts'
import { addBlockedCalls } from '../call-data/calls/blocked-calls.ts'
import { type Calls, noAccount } from '../call-data/calls/calls.ts'
import { isTimeOfCall, toStartWindow } from '../call-data/calls/claims.ts'
import { sumEqualRows } from '../call-data/calls/count-table.ts'
import { readInstant, split } from '../call-data/calls/nanosecond-timestamps.ts'
import type { Captures } from '../call-data/captures/captures.ts'
import { removeOldestRows } from '../call-data/retention.ts'
import { type Database, type EngineName, inTransaction, lockForUpdate, upsertIncrement } from '../database/engine.ts'
import type { Tables } from '../database/tables.ts'

/** Counts what captured SIP says about calls, when their records have arrived. */

/** Interval of the job. */
export const markCountIntervalMs = minuteMs

/** Seconds in which only one process counts. Shorter than the interval, whose timers are not exact. */
const claimSeconds = 50

const batchSize = 200

/** Maximum number of batches per run: 40,000 marks a minute. */
const maxBatches = 200

/** Minutes between the searches for a call, whose record arrives when it ends: 1, 4, 16, 64, 256, and 1024. */
const backOffFactor = 4
const maxSearches = 7

/** Marks are deleted after a day. */
const keepMs = dayMs

/** The oldest marks above this number are deleted, because the records of their calls do not arrive. */
const maxMarks = 1_000_000

type Mark = Selectable<Tables['patchbay_sip_marks']>

export interface MarkCount {
  database: Database
  calls: Pick<Calls, 'findForeign'>
  captures: Pick<Captures, 'read'>
  counters: Counters
}

const readDue = ({ reader }: Database, now: number): Promise<Mark[]> =>
  reader
    .selectFrom('patchbay_sip_marks')
    .selectAll()
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .limit(batchSize)
    .execute()

/**
 * Returns the calls of each mark. The caller chooses the Call-ID, so a mark from the time of calls of several accounts
 * belongs to none of them.
 */
const findCalls = async ({ calls }: MarkCount, marks: readonly Mark[]): Promise<Map<Mark, Call[]>> => {
  const ids = [...new Set(marks.map(({ sip_callid }) => sip_callid))]
  const callsById = await calls.findForeign(
    noAccount,
    ids.map((sip_callid) => ({ sip_callid })),
    toStartWindow(marks.map(({ captured_at }) => captured_at)),
  )
  const byId = new Map(ids.map((id, index) => [id, callsById[index] ?? []]))
  return new Map(
    marks.map((mark) => [
      mark,
      (byId.get(mark.sip_callid) ?? []).filter((call) => isTimeOfCall(call, mark.captured_at)),
    ]),
  )
}

const isOfOneAccount = (calls: readonly Call[]): boolean =>
  new Set(calls.map(({ account_sid }) => account_sid)).size === 1

type Messages = Awaited<ReturnType<Captures['read']>>['data']['messages']

/**
 * Returns the status of the last final response to an INVITE if it is a block by analytics. A block of an earlier attempt
 * with the same Call-ID did not end the call.
 */
const findBlockStatus = (messages: Messages, call: Call): number | undefined => {
  const responses = messages.flatMap(({ raw, micro_ts }) => {
    const message = isTimeOfCall(call, micro_ts / 1000) ? parseSip(raw) : undefined
    return message?.method === 'INVITE' && (message.status ?? 0) >= 200 ? [message] : []
  })
  const last = responses.at(-1)
  return last !== undefined && findNetworkBlock(last)?.kind === 'analytics' ? last.status : undefined
}

const toMilliseconds = ({ attempted_at }: Call): number => split(readInstant(attempted_at)).milliseconds

const toBlockedCall = (call: Call, { sip_callid }: Mark) => ({
  ...call,
  attempted_at: toMilliseconds(call),
  call_key: call.call_sid ?? sip_callid,
})

const toIdentityRow = (call: Call, { attestation, verification }: Mark) => ({
  account_sid: call.account_sid,
  service_provider_sid: call.service_provider_sid ?? '',
  day: toDayNumber(toMilliseconds(call)),
  trunk: call.trunk ?? '',
  direction: call.direction ?? '',
  attestation,
  verification,
  calls: 1,
})

interface Outcome {
  mark: Mark
  /** The blocked calls, or the call with the identity. */
  calls: readonly Call[]
  /** False if the record can still arrive. */
  isComplete: boolean
}

const judge = async (options: MarkCount, mark: Mark, calls: readonly Call[]): Promise<Outcome> => {
  const [first] = calls
  if (first === undefined) return { mark, calls, isComplete: mark.searches + 1 >= maxSearches }
  if (!isOfOneAccount(calls)) return { mark, calls: [], isComplete: true }
  // Several records with a Call-ID are legs of the same call.
  if (mark.kind === 'identity') return { mark, calls: [first], isComplete: true }
  // The record alone tells the other blocks.
  const refused = calls.filter(({ answered, sip_status }) => !answered && !isBlockedStatus(sip_status ?? 0))
  if (refused.length === 0) return { mark, calls: [], isComplete: true }
  const { messages } = (await options.captures.read(mark.sip_callid)).data
  const blocked = refused.filter((call) => findBlockStatus(messages, call) === call.sip_status)
  return { mark, calls: blocked, isComplete: true }
}

const toKey = ({ sip_callid, kind }: Pick<Mark, 'sip_callid' | 'kind'>): string => `${kind} ${sip_callid}`

/** Returns the outcomes whose marks no other process has counted meanwhile. */
const lockMarks = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  outcomes: readonly Outcome[],
): Promise<Outcome[]> => {
  const stored = trx
    .selectFrom('patchbay_sip_marks')
    .select(['sip_callid', 'kind', 'searches', 'due_at'])
    .where('sip_callid', 'in', [...new Set(outcomes.map(({ mark }) => mark.sip_callid))])
    .orderBy('sip_callid')
    .orderBy('kind')
  const rows = new Map((await lockForUpdate(engine, stored).execute()).map((row) => [toKey(row), row]))
  return outcomes.filter(({ mark }) => {
    const row = rows.get(toKey(mark))
    return row !== undefined && row.due_at !== null && row.searches === mark.searches
  })
}

const storeOutcomes = ({ database }: MarkCount, outcomes: readonly Outcome[], now: number): Promise<void> =>
  inTransaction(database, async (trx) => {
    const { engine } = database
    const current = await lockMarks(trx, engine, outcomes)
    const select = (kind: Mark['kind']) => current.filter(({ mark }) => mark.kind === kind)
    const blocked = select('block').flatMap(({ mark, calls }) => calls.map((call) => toBlockedCall(call, mark)))
    await addBlockedCalls(trx, engine, blocked, 'analytics')
    const identities = select('identity').flatMap(({ mark, calls }) => calls.map((call) => toIdentityRow(call, mark)))
    await upsertIncrement(trx, engine, 'patchbay_identity_days', sumEqualRows(identities, ['calls']), ['calls'])
    for (const { mark, isComplete } of current)
      await trx
        .updateTable('patchbay_sip_marks')
        .set({
          searches: mark.searches + 1,
          due_at: isComplete ? null : now + minuteMs * backOffFactor ** mark.searches,
        })
        .where('sip_callid', '=', mark.sip_callid)
        .where('kind', '=', mark.kind)
        .execute()
  })

const countDue = async (options: MarkCount, now: number): Promise<boolean> => {
  const marks = await readDue(options.database, now)
  if (marks.length === 0) return false
  const outcomes: Outcome[] = []
  for (const [mark, calls] of await findCalls(options, marks)) outcomes.push(await judge(options, mark, calls))
  await storeOutcomes(options, outcomes, now)
  return marks.length === batchSize
}

/** Deletes marks that are too old, and the oldest if there are too many. */
const removeMarks = async (database: Database, now: number): Promise<void> => {
  while (await removeOldestRows(database, 'patchbay_sip_marks', 'received_at', now - keepMs));
  const newest = database.reader
    .selectFrom('patchbay_sip_marks')
    .select('received_at')
    .orderBy('received_at', 'desc')
    .offset(maxMarks)
    .limit(1)
  const excess = await newest.executeTakeFirst()
  if (excess === undefined) return
  while (await removeOldestRows(database, 'patchbay_sip_marks', 'received_at', excess.received_at + 1));
}

/** Creates the job. It runs once per interval, whatever the number of processes. */
export const createMarkCount =
  (options: MarkCount, now: () => number = Date.now): (() => Promise<void>) =>
  async () => {
    const claim = { counter: 'sip-mark-count', max: 1, seconds: claimSeconds }
    if (!(await tryConsume(options.counters, claim))) return
    await removeMarks(options.database, now())
    for (let batch = 0; batch < maxBatches; batch += 1) if (!(await countDue(options, now()))) return
  }
