import { randomUUID } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'
import {
  type NewSbcAddress,
  type NewSmppAddress,
  type SbcAddress,
  type SmppAddress,
  sbcAddress,
  smppAddress,
} from '@patchbay/contract/platform-addresses'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** SQL of SBC and SMPP addresses (docs/reference/platform-api/carriers.md#platform-addresses). */

export const createPlatformAddressStore = ({ db }: Database, missingSchema: ReadonlySet<string>) => {
  const selectSbcs = () =>
    db.selectFrom('sbc_addresses').select(sbcAddress.keyof().options).orderBy('ipv4').orderBy('port')
  const selectSmpps = () =>
    db.selectFrom('smpp_addresses').select(smppAddress.keyof().options).orderBy('ipv4').orderBy('port')
  const find = {
    sharedSbcs: prepared(db, () => selectSbcs().where('service_provider_sid', 'is', null)),
    sbcsOfProvider: prepared(db, (provider: string) => selectSbcs().where('service_provider_sid', '=', provider)),
    sharedSmpps: prepared(db, () => selectSmpps().where('service_provider_sid', 'is', null)),
    smppsOfProvider: prepared(db, (provider: string) => selectSmpps().where('service_provider_sid', '=', provider)),
  }
  return {
    /** Returns the addresses of the provider, or else the shared ones. */
    async sbcs(provider: string | null): Promise<SbcAddress[]> {
      const own = provider === null ? [] : await find.sbcsOfProvider(provider)
      return own.length > 0 ? own : find.sharedSbcs()
    },
    async smpps(provider: string | null): Promise<SmppAddress[]> {
      if (missingSchema.has('smpp_addresses')) return []
      return provider === null ? find.sharedSmpps() : find.smppsOfProvider(provider)
    },
  }
}

export const addSbc = async ({ trx, record }: WriteTransaction, address: NewSbcAddress): Promise<string> => {
  const sbc_address_sid = randomUUID()
  const after = { ...address, sbc_address_sid }
  await trx.insertInto('sbc_addresses').values(after).execute()
  record({ action: 'create', kind: 'sbc_address', sid: sbc_address_sid, name: address.ipv4, before: null, after })
  return sbc_address_sid
}

export const addSmpp = async ({ trx, record }: WriteTransaction, address: NewSmppAddress): Promise<string> => {
  const smpp_address_sid = randomUUID()
  const after = { ...address, smpp_address_sid }
  await trx.insertInto('smpp_addresses').values(after).execute()
  record({ action: 'create', kind: 'smpp_address', sid: smpp_address_sid, name: address.ipv4, before: null, after })
  return smpp_address_sid
}

export const removeSbc = async ({ trx, record }: WriteTransaction, sid: string): Promise<void> => {
  const rows = trx.selectFrom('sbc_addresses').selectAll().where('sbc_address_sid', '=', sid)
  const before = (await rows.executeTakeFirst()) ?? throwApiError('not_found')
  await trx.deleteFrom('sbc_addresses').where('sbc_address_sid', '=', sid).execute()
  record({ action: 'delete', kind: 'sbc_address', sid, name: before.ipv4, before, after: null })
}

export const removeSmpp = async ({ trx, missingSchema, record }: WriteTransaction, sid: string): Promise<void> => {
  if (missingSchema.has('smpp_addresses')) throwApiError('not_found')
  const rows = trx.selectFrom('smpp_addresses').selectAll().where('smpp_address_sid', '=', sid)
  const before = (await rows.executeTakeFirst()) ?? throwApiError('not_found')
  await trx.deleteFrom('smpp_addresses').where('smpp_address_sid', '=', sid).execute()
  record({ action: 'delete', kind: 'smpp_address', sid, name: before.ipv4, before, after: null })
}
