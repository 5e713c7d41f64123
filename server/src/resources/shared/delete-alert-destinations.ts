import type { WriteTransaction } from '../../database/write-transaction.ts'

/** Removes the alert destinations that an account, or a service provider, or a sid names, with their logs and what their addresses said. */
export const dropAlertDestinations = async (
  { trx }: WriteTransaction,
  by: 'account_sid' | 'service_provider_sid' | 'alert_destination_sid',
  sid: string,
): Promise<void> => {
  const named = trx.selectFrom('patchbay_alert_destinations').select('alert_destination_sid').where(by, '=', sid)
  await trx.deleteFrom('patchbay_alert_addresses').where('alert_destination_sid', 'in', named).execute()
  await trx.deleteFrom('patchbay_alert_deliveries').where('alert_destination_sid', 'in', named).execute()
  await trx.deleteFrom('patchbay_alert_destinations').where(by, '=', sid).execute()
}
