import type { WriteTransaction } from '../../database/write-transaction.ts'

/**
 * Deletes an outbound routing table, or those of an account or service provider, including all routes. The tables have
 * circular references, so the default route is cleared first.
 */
export const deleteRouting = async (
  { trx }: WriteTransaction,
  column: 'lcr_sid' | 'account_sid' | 'service_provider_sid',
  sid: string,
): Promise<void> => {
  const tables = await trx.selectFrom('lcr').select('lcr_sid').where(column, '=', sid).execute()
  const sids = tables.map(({ lcr_sid }) => lcr_sid)
  if (sids.length === 0) return
  await deleteRoutes({ trx }, sids)
  await trx.deleteFrom('lcr').where('lcr_sid', 'in', sids).execute()
}

/** Deletes all routes of routing tables and keeps the tables. */
export const deleteRoutes = async (
  { trx }: Pick<WriteTransaction, 'trx'>,
  lcrSids: readonly string[],
): Promise<void> => {
  await trx.updateTable('lcr').set({ default_carrier_set_entry_sid: null }).where('lcr_sid', 'in', lcrSids).execute()
  const routes = trx.selectFrom('lcr_routes').select('lcr_route_sid').where('lcr_sid', 'in', lcrSids)
  await trx.deleteFrom('lcr_carrier_set_entry').where('lcr_route_sid', 'in', routes).execute()
  await trx.deleteFrom('lcr_routes').where('lcr_sid', 'in', lcrSids).execute()
}
