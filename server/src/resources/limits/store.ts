import type { LimitCategory } from '@patchbay/contract/limits'
import { randomUUID } from 'node:crypto'
import type { Database } from '../../database/engine.ts'
import type { Write } from '../../database/write.ts'

/** Limits of accounts and providers: two tables of one shape (api/1-identity.md §10). */

export const readAccountLimits = ({ db }: Database, account_sid: string, category?: LimitCategory) => {
  const rows = db.selectFrom('account_limits').selectAll().where('account_sid', '=', account_sid).orderBy('category')
  return (category ? rows.where('category', '=', category) : rows).execute()
}

export const readProviderLimits = ({ db }: Database, service_provider_sid: string, category?: LimitCategory) => {
  const rows = db
    .selectFrom('service_provider_limits')
    .selectAll()
    .where('service_provider_sid', '=', service_provider_sid)
    .orderBy('category')
  return (category ? rows.where('category', '=', category) : rows).execute()
}

export const setAccountLimit = async (write: Write, account_sid: string, category: LimitCategory, quantity: number) => {
  const { trx } = write
  const before = await trx
    .selectFrom('account_limits')
    .selectAll()
    .where('account_sid', '=', account_sid)
    .where('category', '=', category)
    .executeTakeFirst()
  const sid = before?.account_limits_sid ?? randomUUID()
  const after = { account_limits_sid: sid, account_sid, category, quantity }
  if (before) await trx.updateTable('account_limits').set({ quantity }).where('account_limits_sid', '=', sid).execute()
  else await trx.insertInto('account_limits').values(after).execute()
  write.record({ action: before ? 'update' : 'create', kind: 'account_limit', sid, before: before ?? null, after })
  return sid
}

export const setProviderLimit = async (
  write: Write,
  service_provider_sid: string,
  category: LimitCategory,
  quantity: number,
) => {
  const { trx } = write
  const before = await trx
    .selectFrom('service_provider_limits')
    .selectAll()
    .where('service_provider_sid', '=', service_provider_sid)
    .where('category', '=', category)
    .executeTakeFirst()
  const sid = before?.service_provider_limits_sid ?? randomUUID()
  const after = { service_provider_limits_sid: sid, service_provider_sid, category, quantity }
  if (before)
    await trx
      .updateTable('service_provider_limits')
      .set({ quantity })
      .where('service_provider_limits_sid', '=', sid)
      .execute()
  else await trx.insertInto('service_provider_limits').values(after).execute()
  write.record({ action: before ? 'update' : 'create', kind: 'provider_limit', sid, before: before ?? null, after })
  return sid
}

export const removeAccountLimits = async (write: Write, account_sid: string, category?: LimitCategory) => {
  let rows = write.trx.selectFrom('account_limits').selectAll().where('account_sid', '=', account_sid)
  if (category) rows = rows.where('category', '=', category)
  for (const before of await rows.execute()) {
    const sid = before.account_limits_sid
    await write.trx.deleteFrom('account_limits').where('account_limits_sid', '=', sid).execute()
    write.record({ action: 'delete', kind: 'account_limit', sid, before, after: null })
  }
}

export const removeProviderLimits = async (write: Write, service_provider_sid: string, category?: LimitCategory) => {
  let rows = write.trx
    .selectFrom('service_provider_limits')
    .selectAll()
    .where('service_provider_sid', '=', service_provider_sid)
  if (category) rows = rows.where('category', '=', category)
  for (const before of await rows.execute()) {
    const sid = before.service_provider_limits_sid
    await write.trx.deleteFrom('service_provider_limits').where('service_provider_limits_sid', '=', sid).execute()
    write.record({ action: 'delete', kind: 'provider_limit', sid, before, after: null })
  }
}
