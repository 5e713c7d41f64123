import { randomUUID } from 'node:crypto'
import type { Owner } from '@patchbay/contract/api/access'
import type { Hook, HookIn, NewHook, StoredHook } from '@patchbay/contract/api/hooks'
import { referencesTo } from '@patchbay/contract/api/record-tables'
import { maskPassword, maskUrlCredentials } from '@patchbay/rules/masking/masking'
import { sql } from 'kysely'
import type { Database } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** Webhook rows. They have no owner column; the row that refers to a webhook determines the owner. */

interface JoinedHook {
  url: string | null
  method: Hook['method'] | null
  username: string | null
  password: string | null
}

/**
 * Converts the webhook of a left join, or returns null if there is no webhook. Secrets are masked unless the reader can
 * change them.
 */
export const toHook = ({ url, method, username, password }: JoinedHook, canChange: boolean): Hook | null =>
  url === null
    ? null
    : {
        url: canChange ? url : maskUrlCredentials(url),
        method: method ?? 'POST',
        username,
        password: canChange || password === null ? password : maskPassword(password),
      }

/** The webhooks of an application. */
export type HookName = 'call_hook' | 'call_status_hook' | 'messaging_hook'

/** Returns the columns of a webhook that is joined under its own name. */
export const hookColumns = <Name extends HookName>(hook: Name) =>
  [
    `${hook}.webhook_sid as ${hook}_sid`,
    `${hook}.url as ${hook}_url`,
    `${hook}.method as ${hook}_method`,
    `${hook}.username as ${hook}_username`,
    `${hook}.password as ${hook}_password`,
  ] as const

type HookRow<Name extends HookName> = Readonly<
  Record<`${Name}_${'sid' | 'url' | 'username' | 'password'}`, string | null> &
    Record<`${Name}_method`, Hook['method'] | null>
>

/** Reads the webhook of a row with these columns. */
export const toStoredHook = <Name extends HookName>(
  row: HookRow<Name>,
  hook: Name,
  canChange: boolean,
): StoredHook | null => {
  const webhook_sid = row[`${hook}_sid`]
  const joined = toHook(
    {
      url: row[`${hook}_url`],
      method: row[`${hook}_method`],
      username: row[`${hook}_username`],
      password: row[`${hook}_password`],
    },
    canChange,
  )
  return webhook_sid === null || joined === null ? null : { webhook_sid, ...joined }
}

/** Returns the password to store. The mask of the stored password means no change. */
const resolvePassword = async (
  { trx }: WriteTransaction,
  current: string | null,
  password: string | null,
): Promise<string | null> => {
  if (current === null || password === null || maskPassword(password) !== password) return password
  const stored = await trx
    .selectFrom('webhooks')
    .select('password')
    .where('webhook_sid', '=', current)
    .executeTakeFirst()
  return stored?.password || password
}

/**
 * Creates, updates, or clears the webhook of a row. Returns the sid to store, and the sid of a webhook that may have
 * become unused. A webhook that several rows share is not changed; a new one is created instead.
 */
export const saveHook = async (
  write: WriteTransaction,
  current: string | null,
  hook: HookIn,
): Promise<{ sid: string | null; orphan: string | null }> => {
  const { trx } = write
  const url = hook?.url?.trim()
  if (!hook || !url) return { sid: null, orphan: current }
  const values = {
    url,
    method: hook.method ?? 'POST',
    username: hook.username || null,
    password: await resolvePassword(write, current, hook.password || null),
  } as const
  if (current !== null && (await countPointers(write, current)) <= 1) {
    await trx.updateTable('webhooks').set(values).where('webhook_sid', '=', current).execute()
    return { sid: current, orphan: null }
  }
  const webhook_sid = randomUUID()
  await trx
    .insertInto('webhooks')
    .values({ webhook_sid, ...values })
    .execute()
  return { sid: webhook_sid, orphan: null }
}

/** Creates a webhook to which no record refers. */
export const createWebhook = async (
  write: WriteTransaction,
  { url, method, username, password }: NewHook,
  { account_sid, service_provider_sid }: Owner,
): Promise<string> => {
  const webhook_sid = randomUUID()
  const after = {
    webhook_sid,
    url,
    method: method ?? 'POST',
    username: username || null,
    password: password || null,
  } as const
  await write.trx.insertInto('webhooks').values(after).execute()
  const owner = { account_sid, service_provider_sid }
  write.record({
    action: 'create',
    kind: 'webhook',
    sid: webhook_sid,
    name: maskUrlCredentials(url),
    owner,
    before: null,
    after,
  })
  return webhook_sid
}

export const readWebhook = async (
  { db }: Pick<Database, 'db'>,
  webhook_sid: string,
  canChange: boolean,
): Promise<StoredHook | undefined> => {
  const row = await db
    .selectFrom('webhooks')
    .select(['url', 'method', 'username', 'password'])
    .where('webhook_sid', '=', webhook_sid)
    .executeTakeFirst()
  const hook = row && toHook(row, canChange)
  return hook ? { webhook_sid, ...hook } : undefined
}

/** All columns that refer to a webhook. */
const allPointers = referencesTo('webhooks').map(({ table: { table }, column }) => ({ table, column }))

const getPointers = ({ missingSchema }: WriteTransaction) =>
  allPointers.filter(({ table, column }) => !missingSchema.has(`${table}.${column}`))

/** Selects the webhooks to which a column refers. The compiler needs a single table, which represents all of them. */
const selectPointers = ({ trx }: WriteTransaction, { table, column }: (typeof allPointers)[number]) =>
  trx.selectFrom(table as 'accounts').select(sql.ref<string | null>(column).as('sid'))

/** Counts the rows that refer to a webhook. Rows of existing jambonz installations may share webhooks. */
const countPointers = async (write: WriteTransaction, sid: string): Promise<number> => {
  let count = 0
  for (const pointer of getPointers(write))
    count += (await selectPointers(write, pointer).where(sql.ref(pointer.column), '=', sid).execute()).length
  return count
}

/**
 * Returns a row for the audit trail, with the content of its webhooks instead of their sids. Must be called before a
 * change, because webhooks are updated in place.
 */
export const withHooks = async ({ trx }: WriteTransaction, row: object): Promise<object> => {
  const audited: Record<string, unknown> = { ...row }
  for (const pointer of new Set(allPointers.map(({ column }) => column))) {
    const { [pointer]: webhook_sid } = audited
    if (webhook_sid === undefined) continue
    delete audited[pointer]
    audited[pointer.replace(/_sid$/, '')] =
      typeof webhook_sid === 'string'
        ? await trx
            .selectFrom('webhooks')
            .select(['url', 'method', 'username', 'password'])
            .where('webhook_sid', '=', webhook_sid)
            .executeTakeFirst()
        : null
  }
  return audited
}

/** Deletes webhooks to which no row refers any more. */
export const deleteUnusedHooks = async (write: WriteTransaction, sids: readonly (string | null)[]): Promise<void> => {
  const { trx } = write
  const unused = new Set(sids.filter((sid) => sid !== null))
  for (const pointer of getPointers(write)) {
    if (unused.size === 0) return
    const rows = await selectPointers(write, pointer)
      .where(sql.ref(pointer.column), 'in', [...unused])
      .execute()
    for (const { sid } of rows) if (sid !== null) unused.delete(sid)
  }
  if (unused.size > 0)
    await trx
      .deleteFrom('webhooks')
      .where('webhook_sid', 'in', [...unused])
      .execute()
}
