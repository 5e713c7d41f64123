import { throwApiError } from '@patchbay/contract/errors'
import {
  type NewSbcAddress,
  type NewSmppAddress,
  type SbcAddress,
  sbcAddress,
  type SmppAddress,
  smppAddress,
} from '@patchbay/contract/platform-addresses'
import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** All SQL of the platform's own addresses (api/2-telephony.md §14, §16). */

export const createPlatformAddressStore = ({ db }: Database, missingSchema: ReadonlySet<string>) => {
  const sbcs = () => db.selectFrom('sbc_addresses').select(sbcAddress.keyof().options).orderBy('ipv4').orderBy('port')
  const smpps = () =>
    db.selectFrom('smpp_addresses').select(smppAddress.keyof().options).orderBy('ipv4').orderBy('port')
  const find = {
    sbcsOfAll: prepared(db, () => sbcs().where('service_provider_sid', 'is', null)),
    sbcsOf: prepared(db, (provider: string) => sbcs().where('service_provider_sid', '=', provider)),
    smppsOfAll: prepared(db, () => smpps().where('service_provider_sid', 'is', null)),
    smppsOf: prepared(db, (provider: string) => smpps().where('service_provider_sid', '=', provider)),
  }
  return {
    /** Those of the provider, or where it has none those of all. */
    async sbcs(provider: string | null): Promise<SbcAddress[]> {
      const own = provider === null ? [] : await find.sbcsOf(provider)
      return own.length > 0 ? own : find.sbcsOfAll()
    },
    async smpps(provider: string | null): Promise<SmppAddress[]> {
      if (missingSchema.has('smpp_addresses')) return []
      return provider === null ? find.smppsOfAll() : find.smppsOf(provider)
    },
  }
}

export const addSbc = async ({ trx, record }: WriteTransaction, sent: NewSbcAddress): Promise<string> => {
  const sbc_address_sid = randomUUID()
  const after = { ...sent, sbc_address_sid }
  await trx.insertInto('sbc_addresses').values(after).execute()
  record({ action: 'create', kind: 'sbc_address', sid: sbc_address_sid, name: sent.ipv4, before: null, after })
  return sbc_address_sid
}

export const addSmpp = async ({ trx, record }: WriteTransaction, sent: NewSmppAddress): Promise<string> => {
  const smpp_address_sid = randomUUID()
  const after = { ...sent, smpp_address_sid }
  await trx.insertInto('smpp_addresses').values(after).execute()
  record({ action: 'create', kind: 'smpp_address', sid: smpp_address_sid, name: sent.ipv4, before: null, after })
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
