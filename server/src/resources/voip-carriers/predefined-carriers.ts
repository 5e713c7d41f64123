import type { Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import { type PredefinedCarrier, predefinedCarrier } from '@patchbay/contract/predefined-carriers'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { addSipGateway } from './sip-gateways.ts'
import { addSmppGateway } from './smpp-gateways.ts'
import { createVoipCarrier } from './store.ts'

/** SQL of carrier templates (docs/reference/platform-api/carriers.md#carrier-templates). */

const columns = predefinedCarrier.keyof().options

export const createPredefinedCarrierStore = ({ db }: Database): { list(): Promise<PredefinedCarrier[]> } => {
  const all = prepared(db, () => db.selectFrom('predefined_carriers').select(columns).orderBy('name'))
  return { list: () => all() }
}

const maxNames = 1000

/** Returns the name, or if the owner already has a carrier with this name, the name with the first free number. */
const findFreeName = async (
  { trx }: WriteTransaction,
  name: string,
  { account_sid, service_provider_sid }: Owner,
): Promise<string> => {
  const ownerSid = account_sid ?? service_provider_sid
  const rows = await trx
    .selectFrom('voip_carriers')
    .select('name')
    .where(account_sid === null ? 'service_provider_sid' : 'account_sid', '=', ownerSid)
    .where('name', 'like', `${name}%`)
    .execute()
  const taken = new Set(rows.map((row) => row.name.toLowerCase()))
  const candidates = [name, ...Array.from({ length: maxNames }, (_, index) => `${name}-${index + 2}`)]
  return candidates.find((candidate) => !taken.has(candidate.toLowerCase())) ?? throwApiError('duplicate')
}

/** Creates the carrier of a template with all of its gateways. Placeholders remain for the operator to fill in. */
export const createFromTemplate = async (
  write: WriteTransaction,
  predefined_carrier_sid: string,
  owner: Owner,
): Promise<string> => {
  const { trx, missingSchema } = write
  const template = await trx
    .selectFrom('predefined_carriers')
    .select(columns)
    .where('predefined_carrier_sid', '=', predefined_carrier_sid)
    .executeTakeFirst()
  if (template === undefined) return throwApiError('not_found')
  const { predefined_carrier_sid: _sid, requires_static_ip: _static, ...settings } = template
  const name = await findFreeName(write, template.name, owner)
  const voip_carrier_sid = await createVoipCarrier(write, { ...settings, name }, owner)
  const sip = await trx
    .selectFrom('predefined_sip_gateways')
    .select(['ipv4', 'port', 'inbound', 'outbound', 'netmask'])
    .where('predefined_carrier_sid', '=', predefined_carrier_sid)
    .orderBy('predefined_sip_gateway_sid')
    .execute()
  for (const gateway of sip) await addSipGateway(write, { ...gateway, voip_carrier_sid }, { minNetmask: 0, owner })
  if (missingSchema.has('predefined_smpp_gateways') || missingSchema.has('smpp_gateways')) return voip_carrier_sid
  const smpp = await trx
    .selectFrom('predefined_smpp_gateways')
    .select(['ipv4', 'port', 'inbound', 'outbound', 'netmask', 'is_primary', 'use_tls'])
    .where('predefined_carrier_sid', '=', predefined_carrier_sid)
    .orderBy('predefined_smpp_gateway_sid')
    .execute()
  for (const gateway of smpp) await addSmppGateway(write, { ...gateway, voip_carrier_sid }, owner)
  return voip_carrier_sid
}
