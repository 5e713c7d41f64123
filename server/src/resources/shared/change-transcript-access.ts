import { throwApiError } from '@patchbay/contract/api/errors'
import type { TranscriptAccess } from '@patchbay/contract/conversation-search'
import { readTranscriptSettings, writeTranscriptAccess } from '../../call-data/conversations/transcript-settings.ts'
import { removeInvisibleTranscripts } from '../../call-data/conversations/transcripts.ts'
import { lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** Changes who can search in the transcripts of an account. */

/** Transcripts that are deleted within the request. A job deletes the others, which no search finds any more. */
const deletionBatchSize = 500

/** Makes all transcripts of an account invisible, and deletes them. Returns whether all were deleted. */
const hideTranscripts = async ({ trx, engine }: WriteTransaction, account_sid: string): Promise<boolean> => {
  await writeTranscriptAccess(trx, account_sid, 'off')
  return (await removeInvisibleTranscripts(trx, engine, account_sid, deletionBatchSize)) < deletionBatchSize
}

/** Deletes the transcripts and the settings of an account that is deleted. The caller has locked the account. */
export const deleteTranscriptsOfAccount = async (write: WriteTransaction, account_sid: string): Promise<void> => {
  const isComplete = await hideTranscripts(write, account_sid)
  // Otherwise the settings keep the remaining transcripts invisible.
  if (isComplete)
    await write.trx.deleteFrom('patchbay_transcript_settings').where('account_sid', '=', account_sid).execute()
}

/** @throws ApiError `not_found` if the account was deleted meanwhile */
export const changeTranscriptAccess = async (
  write: WriteTransaction,
  account_sid: string,
  access: TranscriptAccess,
): Promise<void> => {
  const { trx, engine } = write
  const account = trx
    .selectFrom('accounts')
    .select(['name', 'service_provider_sid'])
    .where('account_sid', '=', account_sid)
  const row = (await lockForUpdate(engine, account).executeTakeFirst()) ?? throwApiError('not_found')
  const before = await readTranscriptSettings(trx, account_sid)
  if (before.access === access) return
  if (access === 'off') await hideTranscripts(write, account_sid)
  else await writeTranscriptAccess(trx, account_sid, access)
  write.record({
    action: 'update',
    kind: 'account',
    sid: account_sid,
    name: row.name,
    owner: { account_sid, service_provider_sid: row.service_provider_sid },
    before: { transcript_search: before.access },
    after: { transcript_search: access },
  })
}
