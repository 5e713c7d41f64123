import { type Database, inTransaction, lockForUpdate } from '../../database/engine.ts'
import { applicationCounts, hourCounts, outcomeCounts } from '../calls/call-counts.ts'
import { subtractFromDays } from '../calls/call-day-counts.ts'
import { subtractFromCounts } from '../calls/count-table.ts'
import { createForeignIdSearch, deleteDetails, deleteReferences, findOwnIds, listDetailIds } from './delete-details.ts'
import type { DeletableRecordings, DeletedRows, DeletionScope, DeletionStep } from './deletion.ts'

/** Deletes the calls of an account in the database, with everything that is found only by them. */

/** SQLite runs a transaction on the main thread, without other requests in between: 1 ms for each call. */
const batchSizes = { sqlite: 25, mysql: 200 } as const

const selectCalls = ({ db, engine }: Database, { sid, before }: DeletionScope) =>
  db
    .selectFrom('patchbay_calls')
    .select(['attempted_at', 'attempted_ns', 'call_key'])
    .select(['call_sid', 'sip_callid', 'sip_parent_callid', 'trace_id', 'recording_url'])
    .where('account_sid', '=', sid)
    .where('attempted_at', '<', before ?? Number.MAX_SAFE_INTEGER)
    .orderBy('attempted_at')
    .orderBy('attempted_ns')
    .orderBy('call_key')
    .limit(batchSizes[engine])
    .execute()

type CallKeys = Awaited<ReturnType<typeof selectCalls>>

type CallKey = Pick<CallKeys[number], 'attempted_at' | 'attempted_ns' | 'call_key'>

const toKey = ({ attempted_at, attempted_ns, call_key }: CallKey): string =>
  `${attempted_at} ${attempted_ns} ${call_key}`

/** Deletes calls and subtracts them from all counts. Another process may have deleted some of them. */
const deleteCalls = (database: Database, account_sid: string, listed: CallKeys): Promise<number> =>
  inTransaction(database, async (trx) => {
    const keys = new Set(listed.map(toKey))
    const stored = trx
      .selectFrom('patchbay_calls')
      .select(['account_sid', 'service_provider_sid', 'attempted_at', 'attempted_ns', 'call_key'])
      .select(['trunk', 'direction', 'answered', 'sip_status', 'duration', 'application_sid'])
      .where('account_sid', '=', account_sid)
      .where('attempted_at', '>=', listed[0]?.attempted_at ?? 0)
      .where('attempted_at', '<=', listed.at(-1)?.attempted_at ?? 0)
    const calls = (await lockForUpdate(database.engine, stored).execute()).filter((call) => keys.has(toKey(call)))
    for (const { attempted_at, attempted_ns, call_key } of calls)
      await trx
        .deleteFrom('patchbay_calls')
        .where('account_sid', '=', account_sid)
        .where('attempted_at', '=', attempted_at)
        .where('attempted_ns', '=', attempted_ns)
        .where('call_key', '=', call_key)
        .execute()
    await subtractFromCounts(trx, hourCounts, calls)
    await subtractFromCounts(trx, outcomeCounts, calls)
    await subtractFromCounts(trx, applicationCounts, calls)
    await subtractFromDays(trx, calls)
    return calls.length
  })

/** Creates the step that deletes calls with their recordings, spans, log lines, and captured SIP. */
export const createCallStep = (database: Database, recordings: DeletableRecordings): DeletionStep => {
  const findForeignIds = createForeignIdSearch(database)
  return {
    name: 'calls',
    async run(scope): Promise<{ deleted: DeletedRows; position: unknown }> {
      const calls = await selectCalls(database, scope)
      if (calls.length === 0) return { deleted: {}, position: undefined }
      const stored = scope.skipsStorage ? 0 : await recordings.deleteStored(scope.sid, calls)
      const all = listDetailIds(calls)
      const ids = await findOwnIds(database, scope.sid, all, findForeignIds)
      const details = await deleteDetails(database, ids)
      await deleteReferences(database, scope.sid, all.call_sids, ids)
      // Calls come last, because after a kill they lead to the rest.
      const deleted = await deleteCalls(database, scope.sid, calls)
      return { deleted: { ...details, calls: deleted, recordings: stored }, position: {} }
    },
  }
}
