import type { Kysely } from 'kysely'
import { ownedCarriers } from '../../auth/owner-lookup.ts'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import { contains, type Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import { parseRegisterStatus } from './register-status.ts'

/**
 * Call-IDs of the registrations of jambonz with carriers (docs/reference/platform-api/carriers.md#registration-status).
 */

/**
 * Selects the carriers that an owner may use: those of a provider and its accounts, or those of an account and the
 * shared ones of its provider.
 */
export const selectCarriers = (db: Kysely<Tables>, owner: CallOwner) => {
  if ('service_provider_sid' in owner)
    return ownedCarriers(db).where((where) =>
      where.or([
        where('voip_carriers.service_provider_sid', '=', owner.service_provider_sid),
        where('accounts.service_provider_sid', '=', owner.service_provider_sid),
      ]),
    )
  const provider = db
    .selectFrom('accounts as own')
    .select('own.service_provider_sid')
    .where('own.account_sid', '=', owner.account_sid)
  return ownedCarriers(db).where((where) =>
    where.or([
      where('voip_carriers.account_sid', '=', owner.account_sid),
      where.and([
        where('voip_carriers.account_sid', 'is', null),
        where('voip_carriers.service_provider_sid', '=', provider),
      ]),
    ]),
  )
}

/** Returns whether the last registration with a carrier of the owner used this Call-ID. */
export const isRegistration = async (
  { reader, engine }: Database,
  owner: CallOwner,
  sip_callid: string,
): Promise<boolean> => {
  const escapedCallId = JSON.stringify(sip_callid).slice(1, -1)
  const rows = await selectCarriers(reader, owner)
    .select('voip_carriers.register_status')
    .where(contains(engine, 'voip_carriers.register_status', escapedCallId))
    .execute()
  return rows.some(({ register_status }) => parseRegisterStatus(register_status).callId === sip_callid)
}
