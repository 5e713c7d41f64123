import type { FoundCall } from '@patchbay/contract/conversation-search'
import type { Conversation, Turn } from '@patchbay/contract/conversations'
import type { Call } from '@patchbay/contract/recent-calls'
import type { Insertable, Kysely, Transaction } from 'kysely'
import {
  type Database,
  type EngineName,
  insertIgnoringDuplicates,
  inTransaction,
  lockForUpdate,
} from '../../database/engine.ts'
import { gzipJson, unpackedText } from '../../database/gzip-json.ts'
import type { Tables } from '../../database/tables.ts'
import type { Window } from '../calls/search-options.ts'
import type { TranscriptStorage } from './external-transcript-index.ts'
import { addToIndex, removeFromIndex } from './transcript-index.ts'
import { isRemovalPending, recordRemovals } from './transcript-removals.ts'
import { readTranscriptSettings, type TranscriptSettings } from './transcript-settings.ts'
import { indexVersions } from './transcript-tokens.ts'

/** Stores what was said in calls, for the search. */

/** Contains everything that a search returns, so that it reads neither call records nor traces. */
export interface Transcript
  extends Omit<FoundCall, 'account_sid' | 'call_sid' | 'application_sid' | 'turns' | 'turn_count'> {
  turns: readonly Pick<Turn, 'speaker' | 'is_other_side' | 'start_ms' | 'text'>[]
}

export interface TranscriptCall {
  account_sid: string
  call_sid: string
}

/** Further turns are not searchable. A call of two hours has about 100,000 characters. */
const maxCharacters = 1_000_000
/** JSON text can have six bytes for each character. */
const maxContentBytes = 8 * 1024 * 1024

const toTranscript = (call: Call, { turns, direction }: Conversation): Transcript => {
  let characters = 0
  return {
    attempted_at: call.attempted_at,
    direction: call.direction,
    ...(direction && { conversation_direction: direction }),
    from: call.from,
    to: call.to,
    duration: call.duration,
    turns: turns.flatMap(({ speaker, is_other_side, start_ms, text }) => {
      characters += text.length
      return text === '' || characters > maxCharacters
        ? []
        : [{ speaker, ...(is_other_side && { is_other_side }), start_ms, text }]
    }),
  }
}

/** Returns the transcript in a row. */
export const unpackTranscript = async (content: Uint8Array): Promise<Transcript> =>
  JSON.parse((await unpackedText(content, maxContentBytes)).toString()) as Transcript

/** Returns whether a caller may read transcripts of an account with these settings. */
export const canReadTranscripts = ({ access }: Pick<TranscriptSettings, 'access'>, isViewOnly: boolean): boolean =>
  access === 'everyone' || (access === 'editors' && !isViewOnly)

/** Returns a function that reads the transcript of a call, or undefined if there is none that the caller may read. */
export const createTranscriptReader = (db: Kysely<Tables>, isViewOnly: boolean) => {
  const settings = new Map<string, TranscriptSettings>()
  const readSettings = async (account_sid: string) => {
    const cached = settings.get(account_sid) ?? (await readTranscriptSettings(db, account_sid))
    settings.set(account_sid, cached)
    return cached
  }
  return async ({ account_sid, call_sid }: TranscriptCall): Promise<Transcript | undefined> => {
    const { access, generation } = await readSettings(account_sid)
    if (!canReadTranscripts({ access }, isViewOnly)) return undefined
    const row = await db
      .selectFrom('patchbay_transcripts')
      .select('content')
      .where('account_sid', '=', account_sid)
      .where('call_sid', '=', call_sid)
      .where('generation', '=', generation)
      .executeTakeFirst()
    return row === undefined ? undefined : unpackTranscript(row.content)
  }
}

/** Transcripts of calls that began in the same millisecond. The next ones get IDs of the next millisecond. */
export const idsPerMs = 512

/** Returns the IDs of transcripts of calls that began in a period. */
export const toIdWindow = ({ from, until }: Window): Window => ({
  from: Math.max(from * idsPerMs, Number.MIN_SAFE_INTEGER),
  until: Math.min((until + 1) * idsPerMs - 1, Number.MAX_SAFE_INTEGER),
})

/** Inserts a transcript with the first free ID at or after one. Returns undefined if the call already has a transcript. */
const insertTranscript = async (
  trx: Transaction<Tables>,
  { database: { engine }, transcriptIndex }: TranscriptStorage,
  firstId: number,
  row: Omit<Insertable<Tables['patchbay_transcripts']>, 'transcript_id'>,
): Promise<number | undefined> => {
  for (let transcript_id = firstId; ; transcript_id += 1) {
    // The external index would remove the words of this transcript, too.
    if (transcriptIndex !== undefined && (await isRemovalPending(trx, transcript_id))) continue
    const inserted = await insertIgnoringDuplicates(trx, engine, 'patchbay_transcripts', [{ ...row, transcript_id }])
    if (inserted.length > 0) return transcript_id
    const { account_sid, call_sid } = row
    if ((await selectOfCall(trx, engine, { account_sid, call_sid }).execute()).length > 0) return undefined
  }
}

const selectUnlocked = (db: Kysely<Tables>, { account_sid, call_sid }: TranscriptCall) =>
  db
    .selectFrom('patchbay_transcripts')
    .select(['transcript_id', 'index_version', 'generation', 'service_provider_sid', 'application_sid', 'content'])
    .where('account_sid', '=', account_sid)
    .where('call_sid', '=', call_sid)

const selectOfCall = (trx: Transaction<Tables>, engine: EngineName, call: TranscriptCall) =>
  lockForUpdate(engine, selectUnlocked(trx, call))

interface StoredId {
  transcript_id: number
  index_version: number
}

export const toIds = (rows: readonly Pick<StoredId, 'transcript_id'>[]): number[] =>
  rows.map(({ transcript_id }) => transcript_id)

/** Deletes transcripts with their words in the database. */
const deleteTranscripts = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  ids: readonly number[],
): Promise<void> => {
  if (ids.length === 0) return
  await removeFromIndex(trx, engine, ids)
  await trx.deleteFrom('patchbay_transcripts').where('transcript_id', 'in', ids).execute()
}

/** Deletes transcripts, and records those whose words an external index has, or will have when a job has added them. */
const deleteWithIndexEntries = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  rows: readonly StoredId[],
): Promise<void> => {
  const external = rows.filter(({ index_version }) => index_version !== indexVersions.database)
  await recordRemovals(trx, engine, toIds(external))
  await deleteTranscripts(trx, engine, toIds(rows))
}

/**
 * Returns whether the text of calls of an account is kept, and the generation of new transcripts. Locks the account, so
 * that neither changes until the end of the transaction.
 */
const readRetention = async (trx: Transaction<Tables>, engine: EngineName, account_sid: string) => {
  const selected = trx.selectFrom('accounts').select('account_sid').where('account_sid', '=', account_sid)
  const account = await lockForUpdate(engine, selected).executeTakeFirst()
  const { access, generation } = await readTranscriptSettings(trx, account_sid)
  return { isKept: account !== undefined && access !== 'off', generation }
}

/**
 * Stores what was said in a call and adds it to the index. A job adds it to an external index later. Replaces an earlier
 * transcript of the call. Stores nothing, and deletes an earlier transcript, if nothing was said or the account must not
 * keep it.
 */
export const storeTranscript = async (
  storage: TranscriptStorage,
  { account_sid, call_sid }: TranscriptCall,
  call: Call,
  conversation: Conversation | undefined,
): Promise<void> => {
  const { database, transcriptIndex } = storage
  const { engine } = database
  const transcript = conversation && toTranscript(call, conversation)
  const spoken = transcript === undefined || transcript.turns.length === 0 ? undefined : transcript
  // Most calls have no speech, and need no lock of their account.
  if (spoken === undefined && (await selectUnlocked(database.db, { account_sid, call_sid }).execute()).length === 0)
    return
  const content = spoken && (await gzipJson(spoken)).content
  await inTransaction(database, async (trx) => {
    const { isKept, generation } = await readRetention(trx, engine, account_sid)
    const earlier = await selectOfCall(trx, engine, { account_sid, call_sid }).execute()
    const { service_provider_sid, application_sid } = call
    const isUnchanged = (row: (typeof earlier)[number]) =>
      row.generation === generation &&
      row.service_provider_sid === service_provider_sid &&
      row.application_sid === application_sid &&
      content !== undefined &&
      Buffer.compare(content, row.content) === 0
    // Conversations are often computed again without other words.
    if (isKept && earlier.some(isUnchanged)) return
    await deleteWithIndexEntries(trx, engine, earlier)
    if (spoken === undefined || content === undefined || !isKept) return
    const owners = { account_sid, service_provider_sid, application_sid }
    const index_version = transcriptIndex === undefined ? indexVersions.database : 0
    const row = { ...owners, call_sid, generation, index_version, content }
    const firstId = Date.parse(call.attempted_at) * idsPerMs + Math.floor(Math.random() * idsPerMs)
    const transcript_id = await insertTranscript(trx, storage, firstId, row)
    // Otherwise another process has stored it meanwhile.
    if (transcript_id !== undefined && transcriptIndex === undefined)
      await addToIndex(trx, engine, [{ ...owners, transcript_id, turns: spoken.turns }])
  })
}

/**
 * Deletes the oldest transcripts of calls that began before a time, in milliseconds since the Unix epoch. Returns false
 * if there were none. ClickHouse deletes their words at the same age.
 */
export const removeOldestTranscripts = (database: Database, before: number, limit: number): Promise<boolean> =>
  inTransaction(database, async (trx) => {
    const oldest = trx
      .selectFrom('patchbay_transcripts')
      .select('transcript_id')
      .where('transcript_id', '<', before * idsPerMs)
      .orderBy('transcript_id')
      .limit(limit)
    const rows = await lockForUpdate(database.engine, oldest).execute()
    await deleteTranscripts(trx, database.engine, toIds(rows))
    return rows.length > 0
  })

/**
 * Deletes transcripts of an account, of calls that began before a time in milliseconds since the Unix epoch, or all.
 * Returns how many there were, up to the limit. The caller deletes their words in an external index.
 */
export const deleteTranscriptsBefore = (
  database: Database,
  account_sid: string,
  before: number | undefined,
  limit: number,
): Promise<number> =>
  inTransaction(database, async (trx) => {
    const stored = trx
      .selectFrom('patchbay_transcripts')
      .select('transcript_id')
      .where('account_sid', '=', account_sid)
      .where('transcript_id', '<', before === undefined ? Number.MAX_SAFE_INTEGER : before * idsPerMs)
      .limit(limit)
    const rows = await lockForUpdate(database.engine, stored).execute()
    await deleteTranscripts(trx, database.engine, toIds(rows))
    return rows.length
  })

/** Deletes invisible transcripts of an account. Returns how many there were, up to the limit. */
export const removeInvisibleTranscripts = async (
  trx: Transaction<Tables>,
  engine: EngineName,
  account_sid: string,
  limit: number,
): Promise<number> => {
  const { generation } = await readTranscriptSettings(trx, account_sid)
  const invisible = trx
    .selectFrom('patchbay_transcripts')
    .select(['transcript_id', 'index_version'])
    .where('account_sid', '=', account_sid)
    .where('generation', '<', generation)
    .limit(limit)
  const rows = await lockForUpdate(engine, invisible).execute()
  await deleteWithIndexEntries(trx, engine, rows)
  return rows.length
}
