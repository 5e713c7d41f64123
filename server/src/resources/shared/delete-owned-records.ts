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

/** Deletes an API key, or all keys of an account or service provider, including their names. */
export const deleteApiKeys = async (
  { trx }: WriteTransaction,
  column: 'api_key_sid' | 'account_sid' | 'service_provider_sid',
  sid: string,
): Promise<void> => {
  const keys = trx.selectFrom('api_keys').select('api_key_sid').where(column, '=', sid)
  await trx.deleteFrom('patchbay_api_key_names').where('api_key_sid', 'in', keys).execute()
  await trx.deleteFrom('api_keys').where(column, '=', sid).execute()
}

/** Deletes the saved views and the chosen columns of a user, or of all users of an account. */
export const deleteListSettings = async (
  { trx }: WriteTransaction,
  column: 'user_sid' | 'account_sid',
  sid: string,
): Promise<void> => {
  const users = trx.selectFrom('users').select('user_sid').where(column, '=', sid)
  for (const table of ['patchbay_saved_views', 'patchbay_list_columns'] as const)
    await trx.deleteFrom(table).where('user_sid', 'in', users).execute()
}

/** Deletes a carrier, or all carriers of an account or service provider, including their gateways. */
export const deleteCarriers = async (
  { trx, missingSchema }: WriteTransaction,
  column: 'voip_carrier_sid' | 'account_sid' | 'service_provider_sid',
  sid: string,
): Promise<void> => {
  const carriers = trx.selectFrom('voip_carriers').select('voip_carrier_sid').where(column, '=', sid)
  await trx.deleteFrom('sip_gateways').where('voip_carrier_sid', 'in', carriers).execute()
  if (!missingSchema.has('smpp_gateways'))
    await trx.deleteFrom('smpp_gateways').where('voip_carrier_sid', 'in', carriers).execute()
  await trx.deleteFrom('voip_carriers').where(column, '=', sid).execute()
}

/**
 * Deletes the alert destinations with this sid or of this account or service provider, including their logs and address
 * confirmations.
 */
export const deleteAlertDestinations = async (
  { trx }: WriteTransaction,
  column: 'account_sid' | 'service_provider_sid' | 'alert_destination_sid',
  sid: string,
): Promise<void> => {
  const destinationSids = trx
    .selectFrom('patchbay_alert_destinations')
    .select('alert_destination_sid')
    .where(column, '=', sid)
  await trx.deleteFrom('patchbay_alert_addresses').where('alert_destination_sid', 'in', destinationSids).execute()
  await trx.deleteFrom('patchbay_alert_deliveries').where('alert_destination_sid', 'in', destinationSids).execute()
  await trx.deleteFrom('patchbay_alert_destinations').where(column, '=', sid).execute()
}

/** Deletes the acknowledgments of alerts of an account or service provider. */
export const deleteAlertAcknowledgments = async (
  { trx }: WriteTransaction,
  column: 'account_sid' | 'service_provider_sid',
  sid: string,
): Promise<void> => {
  await trx.deleteFrom('patchbay_alert_acknowledgments').where(column, '=', sid).execute()
}
