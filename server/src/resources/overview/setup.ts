import { setupSteps, type SetupStep, type StepState } from '@patchbay/contract/shared/overview'
import type { CallOwner } from '../../call-data/calls/search-options.ts'
import type { Database } from '../../database/engine.ts'
import { selectCarriers } from '../shared/carrier-registrations.ts'
import { selectOwnedAccounts, hasRows } from './owned-rows.ts'

/** Derives the state of the setup steps from records, so that no user has to tick anything off. */

const doneIf = (isDone: boolean): StepState => (isDone ? 'done' : 'open')

/** Returns the provider of an owner. */
const selectProvider = ({ reader }: Database, owner: CallOwner) =>
  reader
    .selectFrom('service_providers as provider')
    .select('provider.service_provider_sid')
    .where((where) =>
      'service_provider_sid' in owner
        ? where('provider.service_provider_sid', '=', owner.service_provider_sid)
        : where(
            'provider.service_provider_sid',
            '=',
            where
              .selectFrom('accounts as own')
              .select('own.service_provider_sid')
              .where('own.account_sid', '=', owner.account_sid),
          ),
    )

/** SIP addresses of the provider, or shared ones. */
const readSipAddresses = async (database: Database, owner: CallOwner): Promise<StepState> =>
  doneIf(
    await hasRows(
      database.reader
        .selectFrom('sbc_addresses')
        .select('sbc_address_sid')
        .where((where) =>
          where.or([
            where('service_provider_sid', 'is', null),
            where('service_provider_sid', 'in', selectProvider(database, owner)),
          ]),
        ),
    ),
  )

/** A carrier that the owner can use, with an active gateway. */
const readCarrier = async (database: Database, owner: CallOwner): Promise<StepState> =>
  doneIf(
    await hasRows(
      selectCarriers(database.reader, owner)
        .innerJoin('sip_gateways', 'sip_gateways.voip_carrier_sid', 'voip_carriers.voip_carrier_sid')
        .where('voip_carriers.is_active', '=', 1)
        .where('sip_gateways.is_active', '=', 1)
        .where((where) => where.or([where('sip_gateways.inbound', '=', 1), where('sip_gateways.outbound', '=', 1)])),
    ),
  )

/** A speech service that the owner can use. A successful test of one is enough. */
const readSpeech = async (database: Database, owner: CallOwner): Promise<StepState> => {
  const services = database.reader
    .selectFrom('speech_credentials')
    .select('speech_credential_sid')
    .where((where) =>
      where.or([
        where('account_sid', 'in', selectOwnedAccounts(database, owner)),
        where.and([
          where('account_sid', 'is', null),
          where('service_provider_sid', 'in', selectProvider(database, owner)),
        ]),
      ]),
    )
  if (!(await hasRows(services))) return 'open'
  const tested = services.where((where) => where.or([where('tts_tested_ok', '=', 1), where('stt_tested_ok', '=', 1)]))
  return (await hasRows(tested)) ? 'done' : 'untested'
}

/** An application with a calling webhook or verbs. */
const readApplication = async (database: Database, owner: CallOwner): Promise<StepState> =>
  doneIf(
    await hasRows(
      database.reader
        .selectFrom('applications')
        .leftJoin('webhooks', 'webhooks.webhook_sid', 'applications.call_hook_sid')
        .select('application_sid')
        .where('applications.account_sid', 'in', selectOwnedAccounts(database, owner))
        .where((where) => where.or([where('webhooks.url', '!=', ''), where('applications.app_json', 'is not', null)])),
    ),
  )

/** A number with an application, or a carrier that sends all its calls to one. */
const readNumber = async (database: Database, owner: CallOwner): Promise<StepState> => {
  const numbers = database.reader
    .selectFrom('phone_numbers')
    .select('phone_number_sid')
    .where('account_sid', 'in', selectOwnedAccounts(database, owner))
    .where('application_sid', 'is not', null)
  const carriers = selectCarriers(database.reader, owner).where('voip_carriers.application_sid', 'is not', null)
  return doneIf((await hasRows(numbers)) || (await hasRows(carriers)))
}

/**
 * Returns the state of each step, in order.
 * @param hasCalls undefined if the call data cannot be read
 */
export const readSetupSteps = async (
  database: Database,
  owner: CallOwner,
  hasCalls: boolean | undefined,
): Promise<{ step: SetupStep; state: StepState }[]> => {
  const [sip_addresses, carrier, speech, application, number] = await Promise.all([
    readSipAddresses(database, owner),
    readCarrier(database, owner),
    readSpeech(database, owner),
    readApplication(database, owner),
    readNumber(database, owner),
  ])
  const first_call = hasCalls === undefined ? 'unknown' : doneIf(hasCalls)
  const states = { sip_addresses, carrier, speech, application, number, first_call } as const
  return setupSteps.map((step) => ({ step, state: states[step] }))
}
