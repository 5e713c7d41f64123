import type { WriteTransaction } from '../../database/write-transaction.ts'

/**
 * Deletes one outbound routing, or those of an account or a provider, with all routes. Their tables refer to each other
 * in a ring, so the pointer that closes it goes first.
 */
export const dropRouting = async (
  { trx }: WriteTransaction,
  by: 'lcr_sid' | 'account_sid' | 'service_provider_sid',
  sid: string,
): Promise<void> => {
  const tables = await trx.selectFrom('lcr').select('lcr_sid').where(by, '=', sid).execute()
  const sids = tables.map(({ lcr_sid }) => lcr_sid)
  if (sids.length === 0) return
  await dropRoutes({ trx }, sids)
  await trx.deleteFrom('lcr').where('lcr_sid', 'in', sids).execute()
}

/** Leaves them empty. */
export const dropRoutes = async ({ trx }: Pick<WriteTransaction, 'trx'>, lcrs: readonly string[]): Promise<void> => {
  await trx.updateTable('lcr').set({ default_carrier_set_entry_sid: null }).where('lcr_sid', 'in', lcrs).execute()
  const routes = trx.selectFrom('lcr_routes').select('lcr_route_sid').where('lcr_sid', 'in', lcrs)
  await trx.deleteFrom('lcr_carrier_set_entry').where('lcr_route_sid', 'in', routes).execute()
  await trx.deleteFrom('lcr_routes').where('lcr_sid', 'in', lcrs).execute()
}
