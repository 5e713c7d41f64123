import type { WriteTransaction } from '../../database/write-transaction.ts'

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
