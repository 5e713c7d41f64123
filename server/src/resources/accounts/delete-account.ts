import { accountTable } from '@patchbay/contract/accounts/record'
import { referencesTo } from '@patchbay/contract/api/record-tables'
import { applicationTable } from '@patchbay/contract/applications/record'
import { sql } from 'kysely'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { deleteTranscriptsOfAccount } from '../shared/change-transcript-access.ts'
import { requestDataDeletion } from '../shared/data-deletions.ts'
import { deleteRecord } from '../shared/delete-records.ts'
import { removeAccountRecords } from '../shared/realm-records.ts'
import { deleteUnusedHooks, withHooks } from '../shared/webhooks.ts'
import { lockRow } from './store.ts'

/**
 * Deletes an account with everything that belongs to it (docs/reference/platform-api/tenants.md#delete-an-account). The
 * whole deletion fails if another tenant still uses something of it, such as a carrier in the routing of its provider.
 */
export const deleteAccount = async (write: WriteTransaction, account_sid: string): Promise<{ users: string[] }> => {
  const { trx } = write
  const row = await lockRow(write, account_sid)
  const before = await withHooks(write, row)
  const users = await trx.selectFrom('users').select('user_sid').where('account_sid', '=', account_sid).execute()
  await removeAccountRecords(write, row)
  await deleteTranscriptsOfAccount(write, account_sid)
  const hooks = await readApplicationHooks(write, account_sid)
  await deleteRecord(write, accountTable, account_sid)
  // Calls name the account as its row does, whatever the case of the SID in the request.
  await requestDataDeletion(write, { account_sid: row.account_sid }, undefined)
  await deleteUnusedHooks(write, [...hooks, row.registration_hook_sid, row.queue_event_hook_sid])
  write.record({ action: 'delete', kind: 'account', sid: account_sid, before, after: null })
  return { users: users.map(({ user_sid }) => user_sid) }
}

/** Returns the SIDs of the webhooks of the applications. */
const readApplicationHooks = async (
  { trx, missingSchema }: WriteTransaction,
  account_sid: string,
): Promise<(string | null)[]> => {
  const columns = referencesTo('webhooks')
    .filter(({ table, column }) => table === applicationTable && !missingSchema.has(`applications.${column}`))
    .map(({ column }) => sql.ref<string | null>(column).as(column))
  const applications = await trx
    .selectFrom('applications')
    .select(columns)
    .where('account_sid', '=', account_sid)
    .execute()
  return applications.flatMap((hooks) => Object.values(hooks))
}
