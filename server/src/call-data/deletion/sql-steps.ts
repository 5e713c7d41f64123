import { toDayNumber } from '@patchbay/rules/calls/call-quality'
import type { DeletedKind } from '@patchbay/contract/data-deletions'
import { type RawBuilder, sql } from 'kysely'
import { deleteDaysOfAccount } from '../calls/call-day-counts.ts'
import { toHourNumber } from '../calls/call-counts.ts'
import { addToDays, DayChanges, unpackContributions } from '../conversations/conversation-day-sums.ts'
import { type Database, inTransaction, lockForUpdate } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
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

interface OwnedTable {
  kind: DeletedKind
  /** Column of the owner. `scope` is the column that the scope names. */
  owner: 'account_sid' | 'owner_sid' | 'scope'
  /** Column of the time, and its unit. */
  time: string
  toUnit?: (milliseconds: number) => number
}

/** Tables whose rows can be deleted without changing others. */
const ownedTables = {
  patchbay_alerts: { kind: 'alerts', owner: 'scope', time: 'raised_at' },
  patchbay_alert_acknowledgments: { kind: 'alerts', owner: 'scope', time: 'acknowledged_at' },
  patchbay_agent_events: { kind: 'agent_events', owner: 'account_sid', time: 'received_at' },
  patchbay_voice_activities: { kind: 'conversations', owner: 'account_sid', time: 'analyzed_at' },
  patchbay_reviews: { kind: 'reviews', owner: 'account_sid', time: 'started_at' },
  patchbay_review_items: { kind: 'reviews', owner: 'account_sid', time: 'started_at' },
} satisfies Partial<Record<keyof Tables, OwnedTable>>

/**
 * Counts of calls and conversations, and of quotas. Those of calls that retention has deleted remain, and are deleted too.
 */
const countTables = {
  patchbay_call_hours: { kind: 'counts', owner: 'owner_sid', time: 'hour', toUnit: toHourNumber },
  patchbay_call_outcomes: { kind: 'counts', owner: 'owner_sid', time: 'hour', toUnit: toHourNumber },
  patchbay_call_applications: { kind: 'counts', owner: 'owner_sid', time: 'hour', toUnit: toHourNumber },
  patchbay_conversation_days: { kind: 'counts', owner: 'owner_sid', time: 'day', toUnit: toDayNumber },
  patchbay_blocked_calls: { kind: 'counts', owner: 'scope', time: 'attempted_at' },
  patchbay_identity_days: { kind: 'counts', owner: 'scope', time: 'day', toUnit: toDayNumber },
  patchbay_account_usage: { kind: 'counts', owner: 'account_sid', time: 'day', toUnit: toDayNumber },
} satisfies Partial<Record<keyof Tables, OwnedTable>>

const createTableStep = (
  database: Database,
  table: keyof Tables,
  { kind, owner, time, toUnit = (milliseconds) => milliseconds }: OwnedTable,
): DeletionStep =>
  createRepeatedStep(table, kind, (scope) => {
    if (owner === 'account_sid' && scope.owner !== 'account_sid') return Promise.resolve(0)
    const column = owner === 'scope' ? scope.owner : owner
    const before = scope.before === undefined ? undefined : toUnit(scope.before)
    const condition = sql<boolean>`${sql.ref(column)} = ${scope.sid} AND ${isBefore(time, before)}`
    return deleteRows(database, table, condition, batchSize)
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

const createTableSteps = (database: Database, tables: Partial<Record<keyof Tables, OwnedTable>>): DeletionStep[] =>
  (Object.entries(tables) as [keyof Tables, OwnedTable][]).map(([table, owned]) =>
    createTableStep(database, table, owned),
  )

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
  ...createTableSteps(database, ownedTables),
  ofAccounts({
    name: 'recording files',
    async run({ sid, before }, _position, signal) {
      await recordings.deleteFiles(sid, before, signal)
      return { deleted: {}, position: undefined }
    },
  }),
  createRepeatedStep('days', 'counts', (scope) => deleteDays(database, scope)),
  ...createTableSteps(database, countTables),
]
