import type { Owner } from '@patchbay/contract/access'
import { apiKey } from '@patchbay/contract/api-keys'
import { maskToken } from '@patchbay/contract/shared/masking'
import { randomUUID } from 'node:crypto'
import { type Database, sqlTime } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { type KeyStatusRow, keysWithStatus } from '../../auth/principals.ts'

/** SQL of API keys (docs/reference/platform-api/tenants.md#api-keys). */

const columns = apiKey.keyof().options

/**
 * Returns the keys of an account, of a provider itself (not of its accounts), or of the platform, with masked tokens.
 */
export const listApiKeys = async ({ db }: Database, of: Partial<Owner>) => {
  let keys = db.selectFrom('api_keys').select(columns).orderBy('created_at').orderBy('api_key_sid')
  for (const column of ['account_sid', 'service_provider_sid'] as const) {
    const sid = of[column]
    if (sid !== undefined) keys = keys.where(column, sid === null ? 'is' : '=', sid)
  }
  return (await keys.execute()).map((key) => ({ ...key, token: maskToken(key.token) }))
}

export const readApiKey = ({ db }: Database, api_key_sid: string) =>
  keysWithStatus(db)
    .select(['api_keys.token', 'api_keys.created_at'])
    .where('api_keys.api_key_sid', '=', api_key_sid)
    .executeTakeFirst()

export interface NewApiKey extends Owner {
  expires_at: Date | null
}

export const createApiKey = async (
  write: WriteTransaction,
  engine: Database['engine'],
  { expires_at, ...owner }: NewApiKey,
): Promise<{ sid: string; token: string }> => {
  const sid = randomUUID()
  const token = randomUUID()
  const row = { api_key_sid: sid, ...owner, expires_at: expires_at && sqlTime(engine, expires_at) }
  await write.trx
    .insertInto('api_keys')
    .values({ ...row, token })
    .execute()
  write.record({ action: 'create', kind: 'api_key', sid, before: null, after: row })
  return { sid, token }
}

export const deleteApiKey = async (
  write: WriteTransaction,
  { provider_of_account: _provider, account_is_active: _active, ...key }: KeyStatusRow & { token: string },
): Promise<void> => {
  await write.trx.deleteFrom('api_keys').where('api_key_sid', '=', key.api_key_sid).execute()
  const before = { ...key, token: maskToken(key.token) }
  write.record({ action: 'delete', kind: 'api_key', sid: key.api_key_sid, before, after: null })
}
