import type { WriteTransaction } from '../../database/write-transaction.ts'
import { removeAccountRecords } from '../shared/realm-records.ts'
import {
  deleteListSettings,
  deleteApiKeys,
  deleteRouting,
  deleteCarriers,
  deleteAlertAcknowledgments,
  deleteAlertDestinations,
} from '../shared/delete-owned-records.ts'
import { dropSignInLinks } from '../../auth/sign-in-links.ts'
import { requestDataDeletion } from '../shared/data-deletions.ts'
import { deleteUnusedHooks, withHooks } from '../shared/webhooks.ts'
import { deleteTranscriptsOfAccount } from '../shared/transcript-settings.ts'
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
  await deleteBilling(write, account_sid)
  await deleteIdentity(write, account_sid)
  await deleteAlertDestinations(write, 'account_sid', account_sid)
  await deleteAlertAcknowledgments(write, 'account_sid', account_sid)
  await deleteTranscriptsOfAccount(write, account_sid)
  await deleteTelephony(write, account_sid)
  const hooks = await deleteApplications(write, account_sid)
  await trx.deleteFrom('accounts').where('account_sid', '=', account_sid).execute()
  // Calls name the account as its row does, whatever the case of the SID in the request.
  await requestDataDeletion(write, { account_sid: row.account_sid }, undefined)
  await deleteUnusedHooks(write, [...hooks, row.registration_hook_sid, row.queue_event_hook_sid])
  write.record({ action: 'delete', kind: 'account', sid: account_sid, before, after: null })
  return { users: users.map(({ user_sid }) => user_sid) }
}

const deleteBilling = async ({ trx }: WriteTransaction, account_sid: string): Promise<void> => {
  const subscriptions = trx
    .selectFrom('account_subscriptions')
    .select('account_subscription_sid')
    .where('account_sid', '=', account_sid)
  await trx.deleteFrom('account_products').where('account_subscription_sid', 'in', subscriptions).execute()
  for (const table of ['account_subscriptions', 'account_offers', 'account_static_ips', 'patchbay_billing'] as const)
    await trx.deleteFrom(table).where('account_sid', '=', account_sid).execute()
}

const deleteIdentity = async (write: WriteTransaction, account_sid: string): Promise<void> => {
  const { trx } = write
  await dropSignInLinks(write, 'account_sid', account_sid)
  await deleteListSettings(write, 'account_sid', account_sid)
  await deleteApiKeys(write, 'account_sid', account_sid)
  for (const table of ['users', 'speech_credentials', 'patchbay_call_shares', 'patchbay_model_check_counts'] as const)
    await trx.deleteFrom(table).where('account_sid', '=', account_sid).execute()
}

const deleteTelephony = async (write: WriteTransaction, account_sid: string): Promise<void> => {
  const { trx } = write
  for (const table of ['phone_numbers', 'call_routes', 'ms_teams_tenants', 'clients'] as const)
    await trx.deleteFrom(table).where('account_sid', '=', account_sid).execute()
  await deleteRouting(write, 'account_sid', account_sid)
  await deleteCarriers(write, 'account_sid', account_sid)
}

/** Deletes the applications and returns the sids of their webhooks. */
const deleteApplications = async (write: WriteTransaction, account_sid: string): Promise<(string | null)[]> => {
  const { trx } = write
  const hookColumns = [
    'call_hook_sid',
    'call_status_hook_sid',
    ...(write.missingSchema.has('applications.messaging_hook_sid') ? [] : (['messaging_hook_sid'] as const)),
  ] as const
  await trx
    .updateTable('accounts')
    .set({ device_calling_application_sid: null, siprec_hook_sid: null })
    .where('account_sid', '=', account_sid)
    .execute()
  const applications = await trx
    .selectFrom('applications')
    .select(hookColumns)
    .where('account_sid', '=', account_sid)
    .execute()
  await trx.deleteFrom('applications').where('account_sid', '=', account_sid).execute()
  return applications.flatMap((hooks) => Object.values(hooks))
}
