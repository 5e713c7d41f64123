import type { Write } from '../database/write.ts'

/** Deletes the carriers of an account or a provider, with their gateways. */
export const dropCarriers = async (
  { trx, lacks }: Write,
  owner: 'account_sid' | 'service_provider_sid',
  sid: string,
): Promise<void> => {
  const carriers = trx.selectFrom('voip_carriers').select('voip_carrier_sid').where(owner, '=', sid)
  await trx.deleteFrom('sip_gateways').where('voip_carrier_sid', 'in', carriers).execute()
  if (!lacks.has('smpp_gateways'))
    await trx.deleteFrom('smpp_gateways').where('voip_carrier_sid', 'in', carriers).execute()
  await trx.deleteFrom('voip_carriers').where(owner, '=', sid).execute()
}
