import { randomUUID } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { LimitsChange } from '@patchbay/contract/limits'
import { type LimitCategory, limitCategories } from '@patchbay/contract/limits/quantities'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/**
 * Limits of accounts and service providers, in two tables with the same columns
 * (docs/reference/platform-api/tenants.md#limits).
 */

const accountTable = {
  table: 'account_limits',
  sidName: 'account_limits_sid',
  owners: 'accounts',
  ownerName: 'account_sid',
  kind: 'account_limit',
} as const

const providerTable = {
  table: 'service_provider_limits',
  sidName: 'service_provider_limits_sid',
  owners: 'service_providers',
  ownerName: 'service_provider_sid',
  kind: 'provider_limit',
} as const

const createLimitStore = ({ table, sidName, owners, ownerName, kind }: typeof accountTable | typeof providerTable) => {
  const readLimits = (db: Database['db'], owner: string, category?: LimitCategory) => {
    const rows = db.selectFrom(table).selectAll().where(ownerName, '=', owner).orderBy('category')
    return (category ? rows.where('category', '=', category) : rows).execute()
  }

  /**
   * Locks the owner, so that changes run one after another. Databases of existing jambonz installations have no unique
   * index that prevents a second row of a category.
   */
  const lockOwner = async ({ trx, engine }: WriteTransaction, owner: string): Promise<void> => {
    const row = trx.selectFrom(owners).select('name').where(ownerName, '=', owner)
    if ((await lockForUpdate(engine, row).executeTakeFirst()) === undefined) throwApiError('not_found')
  }

  const setLimit = async (write: WriteTransaction, owner: string, category: LimitCategory, quantity: number) => {
    const { trx } = write
    const [before] = await readLimits(trx, owner, category)
    const sid = before?.[sidName] ?? randomUUID()
    const after = { [sidName]: sid, [ownerName]: owner, category, quantity }
    if (before) await trx.updateTable(table).set({ quantity }).where(sidName, '=', sid).execute()
    else await trx.insertInto(table).values(after).execute()
    write.record({ action: before ? 'update' : 'create', kind, sid, name: category, before: before ?? null, after })
    return sid
  }

  const removeLimits = async (write: WriteTransaction, owner: string, category?: LimitCategory): Promise<void> => {
    for (const before of await readLimits(write.trx, owner, category)) {
      const sid = before[sidName]
      await write.trx.deleteFrom(table).where(sidName, '=', sid).execute()
      write.record({ action: 'delete', kind, sid, name: before.category, before, after: null })
    }
  }

  return {
    read: ({ db }: Database, owner: string, category?: LimitCategory) => readLimits(db, owner, category),

    async set(write: WriteTransaction, owner: string, category: LimitCategory, quantity: number): Promise<string> {
      await lockOwner(write, owner)
      return setLimit(write, owner, category, quantity)
    },

    async remove(write: WriteTransaction, owner: string, category?: LimitCategory): Promise<void> {
      await lockOwner(write, owner)
      await removeLimits(write, owner, category)
    },

    async update(write: WriteTransaction, owner: string, change: LimitsChange): Promise<void> {
      await lockOwner(write, owner)
      for (const category of limitCategories) {
        const quantity = change[category]
        if (quantity === null) await removeLimits(write, owner, category)
        else if (quantity !== undefined) await setLimit(write, owner, category, quantity)
      }
    },
  }
}

export const accountLimits = createLimitStore(accountTable)
export const providerLimits = createLimitStore(providerTable)
