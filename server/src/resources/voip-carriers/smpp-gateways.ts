import { randomUUID } from 'node:crypto'
import type { Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import { defaultSmppPort, singleAddress } from '@patchbay/contract/shared/gateways'
import {
  type NewSmppGateway,
  type SmppGateway,
  type SmppGatewayChange,
  smppGateway,
} from '@patchbay/contract/smpp-gateways'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** SQL of SMPP gateways (docs/reference/platform-api/carriers.md#smpp-gateways). */

const columns = smppGateway.keyof().options

export const createSmppGatewayStore = ({ db }: Database) => {
  const ofCarrier = prepared(db, (sid: string) =>
    db
      .selectFrom('smpp_gateways')
      .select(columns)
      .where('voip_carrier_sid', '=', sid)
      .orderBy('ipv4')
      .orderBy('smpp_gateway_sid'),
  )
  const one = prepared(db, (sid: string) =>
    db.selectFrom('smpp_gateways').select(columns).where('smpp_gateway_sid', '=', sid),
  )
  return {
    ofCarrier: (voip_carrier_sid: string): Promise<SmppGateway[]> => ofCarrier(voip_carrier_sid),
    read: async (smpp_gateway_sid: string): Promise<SmppGateway | undefined> => (await one(smpp_gateway_sid))[0],
  }
}

/** Creates a gateway. By default, a gateway is inbound and outbound (CARRIERS-43). */
export const addSmppGateway = async (
  write: WriteTransaction,
  gateway: NewSmppGateway,
  owner: Owner,
): Promise<string> => {
  const smpp_gateway_sid = randomUUID()
  const after = {
    port: defaultSmppPort,
    netmask: singleAddress,
    is_primary: 0,
    inbound: 1,
    outbound: 1,
    use_tls: 0,
    ...gateway,
    smpp_gateway_sid,
  } as const
  await write.trx.insertInto('smpp_gateways').values(after).execute()
  write.record({
    action: 'create',
    kind: 'smpp_gateway',
    sid: smpp_gateway_sid,
    name: gateway.ipv4,
    owner,
    before: null,
    after,
  })
  return smpp_gateway_sid
}

const lockGateway = async ({ trx, engine }: WriteTransaction, smpp_gateway_sid: string) =>
  (await lockForUpdate(
    engine,
    trx.selectFrom('smpp_gateways').select(columns).where('smpp_gateway_sid', '=', smpp_gateway_sid),
  ).executeTakeFirst()) ?? throwApiError('not_found')

export const changeSmppGateway = async (
  write: WriteTransaction,
  smpp_gateway_sid: string,
  changes: SmppGatewayChange,
  owner: Owner,
): Promise<void> => {
  const before = await lockGateway(write, smpp_gateway_sid)
  const after = { ...before, ...changes }
  if (Object.keys(changes).length > 0)
    await write.trx.updateTable('smpp_gateways').set(changes).where('smpp_gateway_sid', '=', smpp_gateway_sid).execute()
  write.record({
    action: 'update',
    kind: 'smpp_gateway',
    sid: smpp_gateway_sid,
    name: after.ipv4,
    owner,
    before,
    after,
  })
}

export const removeSmppGateway = async (
  write: WriteTransaction,
  smpp_gateway_sid: string,
  owner: Owner,
): Promise<void> => {
  const before = await lockGateway(write, smpp_gateway_sid)
  await write.trx.deleteFrom('smpp_gateways').where('smpp_gateway_sid', '=', smpp_gateway_sid).execute()
  write.record({
    action: 'delete',
    kind: 'smpp_gateway',
    sid: smpp_gateway_sid,
    name: before.ipv4,
    owner,
    before,
    after: null,
  })
}
