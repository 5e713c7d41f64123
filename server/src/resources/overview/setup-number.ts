import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { Database } from '../../database/engine.ts'
import { selectCarriers } from '../shared/carrier-registrations.ts'
import { selectOwnedAccounts } from '../shared/owned-rows.ts'
import { chooseStep, failing, maxRecords, type Step } from './setup-step.ts'

/** Derives whether a number receives calls. */

/**
 * Returns the carriers whose calls the platform recognizes: by an inbound gateway, or by what a registration or a password
 * shows.
 */
const readReceivingCarriers = async (
  { reader }: Database,
  carriers: readonly (string | null)[],
): Promise<ReadonlySet<string>> => {
  const sids = [...new Set(carriers.filter((sid) => sid !== null))]
  // MySQL accepts no empty list.
  if (sids.length === 0) return new Set()
  const rows = await reader
    .selectFrom('voip_carriers')
    .select('voip_carrier_sid')
    .where('voip_carrier_sid', 'in', sids)
    .where((where) =>
      where.or([
        where('requires_register', '=', 1),
        where('trunk_type', '!=', 'static_ip'),
        where.exists(
          where
            .selectFrom('sip_gateways')
            .select('sip_gateways.sip_gateway_sid')
            .whereRef('sip_gateways.voip_carrier_sid', '=', 'voip_carriers.voip_carrier_sid')
            .where('sip_gateways.inbound', '=', 1),
        ),
      ]),
    )
    .execute()
  return new Set(rows.map(({ voip_carrier_sid }) => voip_carrier_sid))
}

/** A number with an application, or a carrier that sends all its calls to one. */
export const readNumber = async (
  database: Database,
  owner: CallOwner,
  carriers: ReadonlyMap<string, Step | undefined>,
  applications: ReadonlyMap<string, Step | undefined>,
): Promise<Step> => {
  const [numbers, defaults] = await Promise.all([
    database.reader
      .selectFrom('phone_numbers')
      .leftJoin('voip_carriers', 'voip_carriers.voip_carrier_sid', 'phone_numbers.voip_carrier_sid')
      .select(['phone_numbers.voip_carrier_sid', 'phone_numbers.application_sid', 'voip_carriers.is_active'])
      .where('phone_numbers.account_sid', 'in', selectOwnedAccounts(database, owner))
      .where('phone_numbers.application_sid', 'is not', null)
      .limit(maxRecords)
      .execute(),
    selectCarriers(database.reader, owner)
      .innerJoin('applications', 'applications.application_sid', 'voip_carriers.application_sid')
      .select(['voip_carriers.voip_carrier_sid', 'voip_carriers.application_sid', 'voip_carriers.is_active'])
      // A carrier that accounts share can have an application of another account.
      .where('applications.account_sid', 'in', selectOwnedAccounts(database, owner))
      .limit(maxRecords)
      .execute(),
  ])
  const routed = [...numbers, ...defaults]
  const receiving = await readReceivingCarriers(
    database,
    routed.map(({ voip_carrier_sid }) => voip_carrier_sid),
  )
  /** An application without a webhook and verbs is not among them, unless there are too many. */
  const isFailing = (sid: string): boolean =>
    applications.get(sid)?.state === 'failing' || (applications.size < maxRecords && !applications.has(sid))
  return chooseStep(
    routed.map(({ voip_carrier_sid, application_sid, is_active }) => {
      if (isFailing(application_sid ?? '')) return failing('application_failing')
      if (is_active === 0) return failing('carrier_inactive')
      if (!receiving.has(voip_carrier_sid ?? '')) return failing('no_inbound_gateway')
      return carriers.get(voip_carrier_sid ?? '')?.state === 'failing' ? failing('carrier_failing') : undefined
    }),
  )
}
