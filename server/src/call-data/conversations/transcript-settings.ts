import {
  defaultTranscriptAccess,
  type TranscriptAccess,
  transcriptAccesses,
} from '@patchbay/contract/conversation-search'
import type { Kysely, Transaction } from 'kysely'
import type { Tables } from '../../database/tables.ts'

/** Reads and changes who can search in the transcripts of an account. */

export interface TranscriptSettings {
  access: TranscriptAccess
  /** Transcripts of earlier generations are invisible, and are deleted in the background. */
  generation: number
}

/** A newer version can have stored another value. Then the text is still kept, and few can search. */
const parseAccess = (access: string): TranscriptAccess =>
  transcriptAccesses.find((allowed) => allowed === access) ?? defaultTranscriptAccess

/** Reads the settings of an account, or the default ones. */
export const readTranscriptSettings = async (db: Kysely<Tables>, account_sid: string): Promise<TranscriptSettings> => {
  const row = await db
    .selectFrom('patchbay_transcript_settings')
    .select(['access', 'generation'])
    .where('account_sid', '=', account_sid)
    .executeTakeFirst()
  return row === undefined
    ? { access: defaultTranscriptAccess, generation: 0 }
    : { access: parseAccess(row.access), generation: row.generation }
}

/**
 * Stores who can search. With `off`, all stored transcripts become invisible at once, and remain invisible if the
 * search is turned on again. The caller has locked the account.
 */
export const writeTranscriptAccess = async (
  trx: Transaction<Tables>,
  account_sid: string,
  access: TranscriptAccess,
): Promise<TranscriptSettings> => {
  const before = await readTranscriptSettings(trx, account_sid)
  const generation = before.generation + (access === 'off' ? 1 : 0)
  const updated = await trx
    .updateTable('patchbay_transcript_settings')
    .set({ access, generation })
    .where('account_sid', '=', account_sid)
    .executeTakeFirst()
  if (updated.numUpdatedRows === 0n)
    await trx.insertInto('patchbay_transcript_settings').values({ account_sid, access, generation }).execute()
  return before
}
