import { randomUUID } from 'node:crypto'
import type { Owner } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import { defaultSipPort, singleAddress } from '@patchbay/contract/shared/gateways'
import { type NewSipGateway, type SipGateway, type SipGatewayChange, sipGateway } from '@patchbay/contract/sip-gateways'
import { validateSipGateway } from '@patchbay/rules/routing/gateways'
import type { Kysely } from 'kysely'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { omitMissing, selectExisting } from '../shared/missing-columns.ts'

/** SQL of SIP gateways (docs/reference/platform-api/carriers.md#sip-gateways). */

const columns = sipGateway.keyof().options

const selectGateways = (db: Kysely<Tables>, missingSchema: ReadonlySet<string>) =>
  db
    .selectFrom('sip_gateways')
    .select(selectExisting(missingSchema, 'sip_gateways', columns))
    .$castTo<SipGateway>()

export const createSipGatewayStore = ({ db }: Database, missingSchema: ReadonlySet<string>) => {
  const ofCarrier = prepared(db, (sid: string) =>
    selectGateways(db, missingSchema).where('voip_carrier_sid', '=', sid).orderBy('ipv4').orderBy('sip_gateway_sid'),
  )
  const one = prepared(db, (sid: string) => selectGateways(db, missingSchema).where('sip_gateway_sid', '=', sid))
  return {
    ofCarrier: (voip_carrier_sid: string): Promise<SipGateway[]> => ofCarrier(voip_carrier_sid),
    read: async (sip_gateway_sid: string): Promise<SipGateway | undefined> => (await one(sip_gateway_sid))[0],
  }
}

export interface SipGatewayRules {
  minNetmask: number
  /** Owner of the carrier. */
  owner: Owner
}

const checkGateway = (
  gateway: Pick<SipGateway, 'ipv4' | 'netmask' | 'inbound' | 'outbound'>,
  { minNetmask }: SipGatewayRules,
): void => {
  const { ipv4, netmask, inbound, outbound } = gateway
  const fault = validateSipGateway({ ipv4, netmask, inbound: inbound === 1, outbound: outbound === 1 }, minNetmask)
  if (fault) throwInvalid(fault.msg, fault.field)
}

/** Creates a gateway. By default, a gateway is inbound only (CARRIERS-31). */
export const addSipGateway = async (
  write: WriteTransaction,
  gateway: NewSipGateway,
  rules: SipGatewayRules,
): Promise<string> => {
  const sip_gateway_sid = randomUUID()
  const after = {
    port: defaultSipPort,
    netmask: singleAddress,
    inbound: 1,
    outbound: 0,
    ...gateway,
    sip_gateway_sid,
  } as const
  checkGateway(after, rules)
  await write.trx
    .insertInto('sip_gateways')
    .values(omitMissing(write, 'sip_gateways', after))
    .execute()
  const { owner } = rules
  write.record({
    action: 'create',
    kind: 'sip_gateway',
    sid: sip_gateway_sid,
    name: gateway.ipv4,
    owner,
    before: null,
    after,
  })
  return sip_gateway_sid
}

const lockGateway = async ({ trx, engine, missingSchema }: WriteTransaction, sip_gateway_sid: string) =>
  (await lockForUpdate(
    engine,
    selectGateways(trx, missingSchema).where('sip_gateway_sid', '=', sip_gateway_sid),
  ).executeTakeFirst()) ?? throwApiError('not_found')

export const changeSipGateway = async (
  write: WriteTransaction,
  sip_gateway_sid: string,
  changes: SipGatewayChange,
  rules: SipGatewayRules,
): Promise<void> => {
  const before = await lockGateway(write, sip_gateway_sid)
  const after = { ...before, ...changes }
  // Checked only if the request changes these fields, because other components may have stored an invalid gateway.
  if (
    changes.ipv4 !== undefined ||
    changes.netmask !== undefined ||
    changes.inbound !== undefined ||
    changes.outbound !== undefined
  )
    checkGateway(after, rules)
  const newColumns = omitMissing(write, 'sip_gateways', changes)
  if (Object.keys(newColumns).length > 0)
    await write.trx.updateTable('sip_gateways').set(newColumns).where('sip_gateway_sid', '=', sip_gateway_sid).execute()
  const { owner } = rules
  write.record({ action: 'update', kind: 'sip_gateway', sid: sip_gateway_sid, name: after.ipv4, owner, before, after })
}

export const removeSipGateway = async (
  write: WriteTransaction,
  sip_gateway_sid: string,
  owner: Owner,
): Promise<void> => {
  const before = await lockGateway(write, sip_gateway_sid)
  await write.trx.deleteFrom('sip_gateways').where('sip_gateway_sid', '=', sip_gateway_sid).execute()
  write.record({
    action: 'delete',
    kind: 'sip_gateway',
    sid: sip_gateway_sid,
    name: before.ipv4,
    owner,
    before,
    after: null,
  })
}
