import type { Owner } from '@patchbay/contract/api/access'
import type { NewSipGateway } from '@patchbay/contract/sip-gateways'
import type { NewSmppGateway } from '@patchbay/contract/smpp-gateways'
import type { NewVoipCarrier } from '@patchbay/contract/voip-carriers'
import type { WriteTransaction } from '../database/write-transaction.ts'
import { createFromTemplate } from '../resources/voip-carriers/predefined-carriers.ts'
import { addSipGateway } from '../resources/voip-carriers/sip-gateways.ts'
import { addSmppGateway } from '../resources/voip-carriers/smpp-gateways.ts'
import { createVoipCarrier } from '../resources/voip-carriers/store.ts'
import type { DemoContext } from './demo-context.ts'
import { demoRegistrations } from './registrations.ts'

interface DemoCarrier {
  settings: NewVoipCarrier
  /** Set if the carrier belongs to the first account. Others belong to the provider. */
  ofAccount?: true
  /** Registration status in the format of jambonz. Absent if there has been no attempt. */
  status?: { status: 'ok' | 'fail'; reason: string; cseq: string; callId: string }
  sip: readonly Omit<NewSipGateway, 'voip_carrier_sid'>[]
  smpp?: readonly Omit<NewSmppGateway, 'voip_carrier_sid'>[]
}

const createRegistrationSettings = (name: string, realm: string) => ({
  name,
  trunk_type: 'reg' as const,
  requires_register: 1 as const,
  register_username: 'harbour-voice',
  register_sip_realm: realm,
  register_password: 'not-a-real-one',
})

/** Carriers of each kind and in each state. Their addresses are reserved for documentation. */
const carriers: readonly DemoCarrier[] = [
  {
    settings: { ...createRegistrationSettings('Atlantic SIP', 'sip.atlantic.example'), e164_leading_plus: 1 },
    status: { status: 'ok', reason: '200 OK', cseq: '1042 REGISTER', callId: demoRegistrations.taken.callId },
    sip: [
      { ipv4: 'sip.atlantic.example', port: 5060, inbound: 0, outbound: 1, send_options_ping: 1 },
      { ipv4: '192.0.2.10', netmask: 32, inbound: 1 },
    ],
  },
  {
    settings: createRegistrationSettings('Bluewave', 'reg.bluewave.example'),
    status: { status: 'fail', reason: '403 Forbidden', cseq: '17 REGISTER', callId: demoRegistrations.refused.callId },
    sip: [{ ipv4: 'reg.bluewave.example', port: 5061, protocol: 'tls', inbound: 0, outbound: 1, use_sips_scheme: 1 }],
  },
  {
    settings: {
      name: 'Cobalt Carrier',
      trunk_type: 'static_ip',
      tech_prefix: '8801',
      smpp_system_id: 'harbour',
      smpp_password: 'not-a-real-one',
      smpp_inbound_system_id: 'cobalt',
      smpp_inbound_password: 'not-a-real-one',
    },
    sip: [
      { ipv4: '198.51.100.0', netmask: 28, inbound: 1 },
      { ipv4: '198.51.100.5', port: 5060, inbound: 0, outbound: 1 },
      { ipv4: '198.51.100.6', port: 5060, inbound: 0, outbound: 1, is_active: 0 },
    ],
    smpp: [
      { ipv4: 'smpp.cobalt.example', port: 3550, use_tls: 1, is_primary: 1, inbound: 0, outbound: 1 },
      { ipv4: '198.51.100.9', netmask: 32, inbound: 1, outbound: 0 },
    ],
  },
  {
    settings: { name: 'Former Telecom', description: 'Kept for its numbers', trunk_type: 'static_ip', is_active: 0 },
    sip: [{ ipv4: '203.0.113.40', port: 5060, inbound: 0, outbound: 1 }],
  },
  {
    ofAccount: true,
    settings: { name: 'Delta Trunking', trunk_type: 'static_ip', dtmf_type: 'info' },
    sip: [
      { ipv4: '203.0.113.64', netmask: 27, inbound: 1 },
      { ipv4: 'trunk.delta.example', port: 5060, inbound: 0, outbound: 1 },
    ],
  },
  {
    ofAccount: true,
    settings: createRegistrationSettings('Eastline', 'sip.eastline.example'),
    sip: [{ ipv4: '203.0.113.97', port: 5060, inbound: 1, outbound: 1 }],
  },
]

/** Carriers created from templates, if the database contains these, and what a customer enters for their placeholders. */
const templateSettings = {
  Twilio: { register_username: 'harbour-voice', register_password: 'not-a-real-one' },
  TelecomsXChange: {
    tech_prefix: '8802',
    smpp_inbound_system_id: 'harbour-voice',
    smpp_inbound_password: 'not-a-real-one',
  },
} as const

type TemplateName = keyof typeof templateSettings
const templateNames = Object.keys(templateSettings) as TemplateName[]

const addCarrier = async (tx: WriteTransaction, { settings, status, sip, smpp = [] }: DemoCarrier, owner: Owner) => {
  const voip_carrier_sid = await createVoipCarrier(tx, settings, owner)
  for (const gateway of sip) await addSipGateway(tx, { ...gateway, voip_carrier_sid }, { minNetmask: 0, owner })
  for (const gateway of smpp) await addSmppGateway(tx, { ...gateway, voip_carrier_sid }, owner)
  const register_status = status && JSON.stringify(status)
  if (register_status !== undefined)
    await tx.trx
      .updateTable('voip_carriers')
      .set({ register_status })
      .where('voip_carrier_sid', '=', voip_carrier_sid)
      .execute()
  return voip_carrier_sid
}

/** Replaces the placeholders of a template, as a customer does. */
const completeTemplate = async ({ trx }: WriteTransaction, voip_carrier_sid: string, name: string): Promise<void> => {
  await trx
    .updateTable('voip_carriers')
    .set(templateSettings[name as TemplateName])
    .where('voip_carrier_sid', '=', voip_carrier_sid)
    .execute()
  await trx
    .updateTable('sip_gateways')
    .set({ ipv4: 'harbour-voice.pstn.twilio.com' })
    .where('voip_carrier_sid', '=', voip_carrier_sid)
    .where('ipv4', 'like', '<%')
    .execute()
}

/** SIDs of carriers by name. */
export type DemoCarriers = ReadonlyMap<string, string>

export const fillCarriers = async (
  { services: { write, database } }: DemoContext,
  service_provider_sid: string,
  account_sid: string | undefined,
): Promise<DemoCarriers> => {
  const sids = new Map<string, string>()
  const providerOwner = { account_sid: null, service_provider_sid }
  for (const carrier of carriers) {
    if (carrier.ofAccount && account_sid === undefined) continue
    const owner = carrier.ofAccount && account_sid ? { account_sid, service_provider_sid } : providerOwner
    sids.set(carrier.settings.name, await write('patchbay', (tx) => addCarrier(tx, carrier, owner)))
  }
  const templates = await database.db
    .selectFrom('predefined_carriers')
    .select(['predefined_carrier_sid', 'name'])
    .where('name', 'in', templateNames)
    .execute()
  for (const { predefined_carrier_sid, name } of templates)
    sids.set(
      name,
      await write('patchbay', async (tx) => {
        const sid = await createFromTemplate(tx, predefined_carrier_sid, providerOwner)
        await completeTemplate(tx, sid, name)
        return sid
      }),
    )
  return sids
}
