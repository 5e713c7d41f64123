import { toDayNumber } from '@patchbay/rules/calls/call-quality'
import { type RawBuilder, sql } from 'kysely'
import { type Database, inTransaction, lockForUpdate } from '../../database/engine.ts'
import { callDataTables } from '../calls/call-data-tables.ts'
import { deleteDaysOfAccount } from '../calls/call-day-counts.ts'
import { addToDays, DayChanges, unpackContributions } from '../conversations/conversation-day-sums.ts'
import { removeDeletedEntries } from '../conversations/deleted-index-entries.ts'
import type { TranscriptStorage } from '../conversations/external-transcript-index.ts'
import { deleteTranscriptsBefore } from '../conversations/transcripts.ts'
import { createCallStep } from './delete-calls.ts'
import { deleteRows } from './delete-rows.ts'
import { createRepeatedStep, type DeletableRecordings, type DeletionScope, type DeletionStep } from './deletion.ts'

/** The steps that delete call data in the database. */

const batchSize = 500
/** Conversations and transcripts have contents that are unpacked, and words in an index. */
const contentBatchSize = 25

/** Returns the end of the period in the unit of a column. Without an end, all rows match. */
const isBefore = (column: string, before: number | undefined): RawBuilder<boolean> =>
  before === undefined ? sql<boolean>`1 = 1` : sql<boolean>`${sql.ref(column)} < ${before}`

/** A day after all calls, as far as the column can contain it. */
const maxDay = 2_000_000_000

/** Returns the steps for tables whose rows can be deleted without changing others: those of counts, or all others. */
const createTableSteps = (database: Database, selectsCounts: boolean): DeletionStep[] =>
  callDataTables.flatMap(({ table, time, toUnit = (milliseconds) => milliseconds, owned }) => {
    if (owned === undefined || (owned.kind === 'counts') !== selectsCounts) return []
    const step = createRepeatedStep(table, owned.kind, (scope) => {
      if (owned.owner === 'account_sid' && scope.owner !== 'account_sid') return Promise.resolve(0)
      const column = owned.owner === 'scope' ? scope.owner : owned.owner
      const before = scope.before === undefined ? undefined : toUnit(scope.before)
      const condition = sql<boolean>`${sql.ref(column)} = ${scope.sid} AND ${isBefore(time, before)}`
      return deleteRows(database, table, condition, batchSize)
    })
    return [step]
  })

/** Deletes conversations and subtracts them from the sums of their days. */
const deleteConversations = (database: Database, { sid, before }: DeletionScope): Promise<number> =>
  inTransaction(database, async (trx) => {
    const stored = trx
      .selectFrom('patchbay_conversations')
      .select(['account_sid', 'service_provider_sid', 'call_sid', 'started_at', 'content'])
      .where('account_sid', '=', sid)
      .where('started_at', '<', before ?? Number.MAX_SAFE_INTEGER)
      .limit(contentBatchSize)
    const rows = await lockForUpdate(database.engine, stored).execute()
    const changes = new DayChanges()
    for (const { content, ...row } of rows)
      changes.add({ ...row, contributions: await unpackContributions(content) }, -1)
    await addToDays(trx, database.engine, changes)
    for (const { call_sid } of rows)
      await trx
        .deleteFrom('patchbay_conversations')
        .where('account_sid', '=', sid)
        .where('call_sid', '=', call_sid)
        .execute()
    return rows.length
  })

/** Calls whose conversation is to be computed. Those that remain have a call. */
const deleteQueued = (database: Database, { sid, before }: DeletionScope): Promise<number> =>
  before === undefined
    ? deleteRows(database, 'patchbay_conversation_queue', sql<boolean>`account_sid = ${sid}`, batchSize)
    : Promise.resolve(0)

/** Deletes the sums of days, for an account also from those of its provider. */
const deleteDays = (database: Database, { owner, sid, before }: DeletionScope): Promise<number> => {
  if (owner === 'service_provider_sid')
    return deleteRows(database, 'patchbay_call_days', sql<boolean>`owner_sid = ${sid}`, batchSize)
  const beforeDay = before === undefined ? maxDay : toDayNumber(before)
  return inTransaction(database, (trx) => deleteDaysOfAccount(trx, database.engine, sid, beforeDay, batchSize))
}

const ofAccounts = (step: DeletionStep): DeletionStep => ({
  ...step,
  run: (scope, ...args) =>
    scope.owner === 'account_sid' ? step.run(scope, ...args) : Promise.resolve({ deleted: {}, position: undefined }),
})

/** Creates the steps for the database, which also contains a part of the data if ClickHouse stores the calls. */
export const createSqlSteps = (
  { database, transcriptIndex }: TranscriptStorage,
  recordings: DeletableRecordings,
): DeletionStep[] => [
  ofAccounts(createRepeatedStep('queue', 'conversations', (scope) => deleteQueued(database, scope))),
  ofAccounts(createCallStep(database, recordings)),
  ofAccounts(createRepeatedStep('conversations', 'conversations', (scope) => deleteConversations(database, scope))),
  ofAccounts(
    createRepeatedStep('transcripts', 'transcripts', ({ sid, before }) =>
      deleteTranscriptsBefore(database, sid, before, contentBatchSize),
    ),
  ),
  // After the transcripts, so that no job adds their words to the index again.
  ofAccounts({
    name: 'transcript words',
    async run({ sid, before }, _position, signal) {
      await transcriptIndex?.removeAccount(sid, before, signal)
      return { deleted: {}, position: undefined }
    },
  }),
  ofAccounts({
    name: 'deleted index entries',
    run: async () => ({ deleted: {}, position: (await removeDeletedEntries(database)) ? {} : undefined }),
  }),
  ...createTableSteps(database, false),
  ofAccounts({
    name: 'recording files',
    async run({ sid, before }, _position, signal) {
      await recordings.deleteFiles(sid, before, signal)
      return { deleted: {}, position: undefined }
    },
  }),
  createRepeatedStep('days', 'counts', (scope) => deleteDays(database, scope)),
  ...createTableSteps(database, true),
]
