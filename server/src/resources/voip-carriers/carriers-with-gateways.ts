import type { Actor } from '@patchbay/contract/api/access'
import { ApiError, throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { WholeCarrier, WholeCarrierChange } from '@patchbay/contract/carriers-with-gateways'
import { type ExpressionBuilder, type SqlBool, sql } from 'kysely'
import { visibleTo } from '../../auth/visible-to.ts'
import type { Database } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { isOfProvider, isUsedBy } from './carrier-lists.ts'
import { addSipGateway, changeSipGateway, createSipGatewayStore, type SipGatewayRules } from './sip-gateways.ts'
import { addSmppGateway, changeSmppGateway, createSmppGatewayStore } from './smpp-gateways.ts'
import { createVoipCarrierStore } from './store.ts'

/** Returns a function that reads a carrier with its gateways. */
export const createWholeCarrierReader = (database: Database, missingSchema: ReadonlySet<string>) => {
  const carriers = createVoipCarrierStore(database, missingSchema)
  const sip = createSipGatewayStore(database, missingSchema)
  const smpp = createSmppGatewayStore(database)
  return async (voip_carrier_sid: string): Promise<WholeCarrier | undefined> => {
    const carrier = await carriers.read(voip_carrier_sid)
    return (
      carrier && {
        carrier,
        sip_gateways: await sip.ofCarrier(voip_carrier_sid),
        smpp_gateways: missingSchema.has('smpp_gateways') ? [] : await smpp.ofCarrier(voip_carrier_sid),
      }
    )
  }
}

type Gateways = Pick<WholeCarrierChange, 'sip_gateways' | 'smpp_gateways'>

/** Saves items in order. Adds the position of the item to the field of a validation error. */
const saveEach = async <Item>(member: string, items: readonly Item[], save: (item: Item) => Promise<string>) => {
  const sids: string[] = []
  for (const [index, item] of items.entries())
    try {
      sids.push(await save(item))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      const { field } = error.body
      throw new ApiError(error.code, {
        ...error.body,
        field: [member, index, field].filter((part) => part !== undefined).join('.'),
      })
    }
  return sids
}

/** Returns the sids of the carrier's gateways. */
const findGatewaySids = async ({ trx, missingSchema }: WriteTransaction, voip_carrier_sid: string) => {
  const sip = await trx
    .selectFrom('sip_gateways')
    .select('sip_gateway_sid')
    .where('voip_carrier_sid', '=', voip_carrier_sid)
    .execute()
  const smpp = missingSchema.has('smpp_gateways')
    ? []
    : await trx
        .selectFrom('smpp_gateways')
        .select('smpp_gateway_sid')
        .where('voip_carrier_sid', '=', voip_carrier_sid)
        .execute()
  return {
    sip: new Set(sip.map(({ sip_gateway_sid }) => sip_gateway_sid)),
    smpp: new Set(smpp.map(({ smpp_gateway_sid }) => smpp_gateway_sid)),
  }
}

/**
 * Returns a part of a whole carrier without the SID of the carrier.
 * @throws ApiError `invalid` if it is that of another carrier
 */
export const removeCarrierSid = <Part extends { voip_carrier_sid?: string | undefined }>(
  { voip_carrier_sid: requested, ...part }: Part,
  voip_carrier_sid: string,
) => {
  if (requested !== undefined && requested !== voip_carrier_sid)
    throwInvalid('voip_carrier_sid may not be modified', 'voip_carrier_sid')
  return part
}

/** Saves the gateways of a locked carrier. Gateways with a sid must already belong to it. */
export const saveGateways = async (
  write: WriteTransaction,
  voip_carrier_sid: string,
  { sip_gateways, smpp_gateways }: Gateways,
  rules: SipGatewayRules,
) => {
  const { owner } = rules
  if (smpp_gateways.length > 0 && write.missingSchema.has('smpp_gateways'))
    throwApiError('invalid', { msg: 'the platform has no SMPP gateways', field: 'smpp_gateways' })
  const own = await findGatewaySids(write, voip_carrier_sid)
  const sip_gateway_sids = await saveEach('sip_gateways', sip_gateways, async (input) => {
    const { sip_gateway_sid, ...gateway } = removeCarrierSid(input, voip_carrier_sid)
    if (sip_gateway_sid === undefined) return addSipGateway(write, { ...gateway, voip_carrier_sid }, rules)
    if (!own.sip.has(sip_gateway_sid)) throwInvalid('invalid sip_gateway_sid', 'sip_gateway_sid')
    await changeSipGateway(write, sip_gateway_sid, gateway, rules)
    return sip_gateway_sid
  })
  const smpp_gateway_sids = await saveEach('smpp_gateways', smpp_gateways, async (input) => {
    const { smpp_gateway_sid, ...gateway } = removeCarrierSid(input, voip_carrier_sid)
    if (smpp_gateway_sid === undefined) return addSmppGateway(write, { ...gateway, voip_carrier_sid }, owner)
    if (!own.smpp.has(smpp_gateway_sid)) throwInvalid('invalid smpp_gateway_sid', 'smpp_gateway_sid')
    await changeSmppGateway(write, smpp_gateway_sid, gateway, owner)
    return smpp_gateway_sid
  })
  return { voip_carrier_sid, sip_gateway_sids, smpp_gateway_sids }
}

/** Matches the carriers that the caller can use: all, those of the provider, or those of the account and shared ones. */
export const isUsable = (actor: Actor) => (where: ExpressionBuilder<Tables, 'voip_carriers'>) =>
  visibleTo(actor, {
    admin: () => where.lit<SqlBool>(true),
    service_provider: (sid) => isOfProvider(where, sid),
    account: (sid) => isUsedBy(where, sid),
  })

/** Counts the gateways of a page of carriers in one query. */
export const countGateways = async ({ reader }: Database, actor: Actor, sids: readonly string[]) => {
  const rows = await reader
    .selectFrom('voip_carriers')
    .leftJoin('sip_gateways', 'sip_gateways.voip_carrier_sid', 'voip_carriers.voip_carrier_sid')
    .select('voip_carriers.voip_carrier_sid')
    .select(sql<number | string | null>`sum(sip_gateways.inbound)`.as('inbound'))
    .select(sql<number | string | null>`sum(sip_gateways.outbound)`.as('outbound'))
    .where('voip_carriers.voip_carrier_sid', 'in', [...sids])
    .where(isUsable(actor))
    .groupBy('voip_carriers.voip_carrier_sid')
    .execute()
  return rows.map(({ voip_carrier_sid, inbound, outbound }) => ({
    voip_carrier_sid,
    inbound: Number(inbound ?? 0),
    outbound: Number(outbound ?? 0),
  }))
}
