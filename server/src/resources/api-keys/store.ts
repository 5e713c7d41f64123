import { randomUUID } from 'node:crypto'
import type { Actor, Owner } from '@patchbay/contract/api/access'
import { apiKey, type OwnedApiKey } from '@patchbay/contract/api-keys'
import { apiKeyTable } from '@patchbay/contract/api-keys/record'
import type { keyAttention } from '@patchbay/contract/shared/attention-kinds'
import { maskToken, visibleSuffixLength } from '@patchbay/rules/masking/masking'
import type { Kysely } from 'kysely'
import { lockOwnedRow } from '../../auth/owner-lookup.ts'
import { type KeyStatusRow, keysWithStatus } from '../../auth/principals.ts'
import { type Database, like, sqlTime } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { expiresSoon } from '../shared/attention-records.ts'
import { deleteRecord } from '../shared/delete-records.ts'

/** SQL of API keys (docs/reference/platform-api/tenants.md#api-keys). */

/** The columns of the API, without the name, which is in a table of Patchbay. */
const columns = apiKey
  .keyof()
  .exclude(['name'])
  .options.map((column) => `api_keys.${column}` as const)

const selectKeys = (db: Kysely<Tables>) =>
  db.selectFrom('api_keys').leftJoin('patchbay_api_key_names as names', 'names.api_key_sid', 'api_keys.api_key_sid')

const withMaskedToken = <Key extends { token: string }>(key: Key): Key => ({ ...key, token: maskToken(key.token) })

/**
 * Returns the keys of an account, of a provider itself (not of its accounts), or of the platform, with masked tokens.
 */
export const listApiKeys = async ({ db }: Database, of: Partial<Owner>) => {
  let keys = selectKeys(db).select(columns).select('names.name').orderBy('created_at').orderBy('api_keys.api_key_sid')
  for (const column of ['account_sid', 'service_provider_sid'] as const) {
    const sid = of[column]
    if (sid !== undefined) keys = keys.where(`api_keys.${column}`, sid === null ? 'is' : '=', sid)
  }
  return (await keys.execute()).map(withMaskedToken)
}

/** Returns a LIKE pattern for texts that contain the part. */
const containing = (part: string): string => `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`

interface KeySearch {
  service_provider_sid: string
  /** Limits the keys to those of an account. */
  account_sid?: string | undefined
  /** A part of the name or of the account's name, or the last four characters of the key. */
  filter?: string | undefined
  /** Limits the keys to those with this problem. */
  attention?: (typeof keyAttention)[number] | undefined
  page: number
  count: number
}

/** Returns a page of the keys of a provider and its accounts, newest first, with masked tokens. */
export const searchApiKeys = async (
  database: Database,
  { service_provider_sid, account_sid, filter, attention, page, count }: KeySearch,
): Promise<{ total: number; data: OwnedApiKey[] }> => {
  let keys = selectKeys(database.reader)
    .leftJoin('accounts', 'accounts.account_sid', 'api_keys.account_sid')
    .where((where) =>
      account_sid === undefined
        ? where.or([
            where('api_keys.service_provider_sid', '=', service_provider_sid),
            where('accounts.service_provider_sid', '=', service_provider_sid),
          ])
        : where.and({ 'api_keys.account_sid': account_sid, 'accounts.service_provider_sid': service_provider_sid }),
    )
  if (attention !== undefined) keys = keys.where(expiresSoon(database, Date.now()))
  if (filter)
    keys = keys.where((where) =>
      where.or([
        like('names.name', containing(filter)),
        like('accounts.name', containing(filter)),
        where(where.fn('substr', ['api_keys.token', where.lit(-visibleSuffixLength)]), '=', filter),
      ]),
    )
  const [counted, rows] = await Promise.all([
    keys.select(({ fn }) => fn.countAll<number | string>().as('total')).executeTakeFirst(),
    keys
      .select(columns)
      .select(['names.name', 'accounts.name as account_name'])
      .orderBy('api_keys.created_at', 'desc')
      .orderBy('api_keys.api_key_sid')
      .limit(count)
      .offset((page - 1) * count)
      .execute(),
  ])
  return { total: Number(counted?.total ?? 0), data: rows.map(withMaskedToken) }
}

export const readApiKey = ({ db }: Database, api_key_sid: string) =>
  keysWithStatus(db)
    .select(['api_keys.token', 'api_keys.created_at'])
    .where('api_keys.api_key_sid', '=', api_key_sid)
    .executeTakeFirst()

export interface NewApiKey extends Owner {
  name: string | null
  expires_at: Date | null
  /** A UUID. Random by default. */
  token?: string | undefined
}

const storeName = async ({ trx }: WriteTransaction, api_key_sid: string, name: string | null): Promise<void> => {
  await trx.deleteFrom('patchbay_api_key_names').where('api_key_sid', '=', api_key_sid).execute()
  if (name !== null) await trx.insertInto('patchbay_api_key_names').values({ api_key_sid, name }).execute()
}

export const createApiKey = async (
  write: WriteTransaction,
  { expires_at, name, token = randomUUID(), ...owner }: NewApiKey,
): Promise<{ sid: string; token: string }> => {
  const sid = randomUUID()
  const row = { api_key_sid: sid, ...owner, expires_at: expires_at && sqlTime(write.engine, expires_at) }
  await write.trx
    .insertInto('api_keys')
    .values({ ...row, token })
    .execute()
  await storeName(write, sid, name)
  write.record({ action: 'create', kind: 'api_key', sid, before: null, after: { ...row, name } })
  return { sid, token }
}

/** Renames a key, or removes its name. Throws `not_found` if the caller has lost access to the key. */
export const renameApiKey = async (
  write: WriteTransaction,
  actor: Actor,
  sid: string,
  name: string | null,
): Promise<void> => {
  const rows = write.trx
    .selectFrom('api_keys')
    .select(['api_key_sid', 'account_sid', 'service_provider_sid'])
    .where('api_key_sid', '=', sid)
  const { row } = await lockOwnedRow(write, actor, { kind: 'api_key', sid, rows }, 'not_found')
  const stored = await write.trx
    .selectFrom('patchbay_api_key_names')
    .select('name')
    .where('api_key_sid', '=', sid)
    .executeTakeFirst()
  await storeName(write, sid, name)
  const before = { ...row, name: stored?.name ?? null }
  write.record({ action: 'update', kind: 'api_key', sid, before, after: { ...row, name } })
}

export const deleteApiKey = async (
  write: WriteTransaction,
  { provider_of_account: _provider, account_is_active: _active, ...key }: KeyStatusRow & { token: string },
): Promise<void> => {
  await deleteRecord(write, apiKeyTable, key.api_key_sid)
  write.record({ action: 'delete', kind: 'api_key', sid: key.api_key_sid, before: withMaskedToken(key), after: null })
}
