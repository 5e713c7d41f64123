import type { LimitCategory } from '@patchbay/contract/identity/limits'
import { throwApiError } from '@patchbay/contract/errors'
import { randomUUID } from 'node:crypto'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** Limits of accounts and providers: two tables of one shape (api/1-identity.md §10). */

const ofAccounts = {
  table: 'account_limits',
  sidName: 'account_limits_sid',
  owners: 'accounts',
  ownerName: 'account_sid',
  kind: 'account_limit',
} as const

const ofProviders = {
  table: 'service_provider_limits',
  sidName: 'service_provider_limits_sid',
  owners: 'service_providers',
  ownerName: 'service_provider_sid',
  kind: 'provider_limit',
} as const

const limitStore = ({ table, sidName, owners, ownerName, kind }: typeof ofAccounts | typeof ofProviders) => {
  const limitsOf = (db: Database['db'], owner: string, category?: LimitCategory) => {
    const rows = db.selectFrom(table).selectAll().where(ownerName, '=', owner).orderBy('category')
    return (category ? rows.where('category', '=', category) : rows).execute()
  }

  /** One change at a time: adopted tables have no unique index that would keep a second row of a category out. */
  const holdOwner = async ({ trx, engine }: WriteTransaction, owner: string): Promise<void> => {
    const row = trx.selectFrom(owners).select('name').where(ownerName, '=', owner)
    if ((await lockForUpdate(engine, row).executeTakeFirst()) === undefined) throwApiError('not_found')
  }

  return {
    read: ({ db }: Database, owner: string, category?: LimitCategory) => limitsOf(db, owner, category),

    async set(write: WriteTransaction, owner: string, category: LimitCategory, quantity: number): Promise<string> {
      const { trx } = write
      await holdOwner(write, owner)
      const [before] = await limitsOf(trx, owner, category)
      const sid = before?.[sidName] ?? randomUUID()
      const after = { [sidName]: sid, [ownerName]: owner, category, quantity }
      if (before) await trx.updateTable(table).set({ quantity }).where(sidName, '=', sid).execute()
      else await trx.insertInto(table).values(after).execute()
      write.record({ action: before ? 'update' : 'create', kind, sid, name: category, before: before ?? null, after })
      return sid
    },

    async remove(write: WriteTransaction, owner: string, category?: LimitCategory): Promise<void> {
      await holdOwner(write, owner)
      for (const before of await limitsOf(write.trx, owner, category)) {
        const sid = before[sidName]
        await write.trx.deleteFrom(table).where(sidName, '=', sid).execute()
        write.record({ action: 'delete', kind, sid, name: before.category, before, after: null })
      }
    },
  }
}

export const accountLimits = limitStore(ofAccounts)
export const providerLimits = limitStore(ofProviders)
