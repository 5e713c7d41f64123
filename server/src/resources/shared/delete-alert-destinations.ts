import type { WriteTransaction } from '../../database/write-transaction.ts'

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
