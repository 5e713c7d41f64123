import type { Hook, HookIn, StoredHook } from '@patchbay/contract/hooks'
import { maskKey, maskUrlCredentials } from '@patchbay/contract/shared/masking'
import { randomUUID } from 'node:crypto'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** Webhook rows. They have no owner of their own: whoever points at one owns it. */

interface JoinedHook {
  url: string | null
  method: Hook['method'] | null
  username: string | null
  password: string | null
}

/** The hook of a left join, or null where there is none. Its secrets are masked for those who may not change it. */
export const joinedHook = ({ url, method, username, password }: JoinedHook, mayChange: boolean): Hook | null =>
  url === null
    ? null
    : {
        url: mayChange ? url : maskUrlCredentials(url),
        method: method ?? 'POST',
        username,
        password: mayChange || password === null ? password : maskKey(password),
      }

/** The webhooks of an application. */
export type HookName = 'call_hook' | 'call_status_hook' | 'messaging_hook'

/** The columns of a webhook that is joined under its own name. */
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

/** The webhook of a row with those columns. */
export const hookIn = <Name extends HookName>(
  row: HookRow<Name>,
  hook: Name,
  mayChange: boolean,
): StoredHook | null => {
  const webhook_sid = row[`${hook}_sid`]
  const joined = joinedHook(
    {
      url: row[`${hook}_url`],
      method: row[`${hook}_method`],
      username: row[`${hook}_username`],
      password: row[`${hook}_password`],
    },
    mayChange,
  )
  return webhook_sid === null || joined === null ? null : { webhook_sid, ...joined }
}

/** A masked password that comes back means the stored one. */
const wholePassword = async (
  { trx }: WriteTransaction,
  current: string | null,
  sent: string | null,
): Promise<string | null> => {
  if (current === null || sent === null || !/^.{0,6}X+$/.test(sent)) return sent
  const stored = await trx
    .selectFrom('webhooks')
    .select('password')
    .where('webhook_sid', '=', current)
    .executeTakeFirst()
  return stored?.password && maskKey(stored.password) === sent ? stored.password : sent
}

/** Makes, changes in place or clears the hook that a row points at; answers the sid to store. A shared row is left alone. */
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
    password: await wholePassword(write, current, hook.password || null),
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

/** Every column that points at a hook. */
const allPointers = [
  ['accounts', 'registration_hook_sid'],
  ['accounts', 'queue_event_hook_sid'],
  ['service_providers', 'registration_hook_sid'],
  ['applications', 'call_hook_sid'],
  ['applications', 'call_status_hook_sid'],
  ['applications', 'messaging_hook_sid'],
] as const

const pointersOf = ({ missingSchema }: WriteTransaction) =>
  allPointers.filter(([table, column]) => !missingSchema.has(`${table}.${column}`))

/** How many rows point at a hook; existing platforms share them. */
const countPointers = async (write: WriteTransaction, sid: string): Promise<number> => {
  let count = 0
  for (const [table, column] of pointersOf(write))
    count += (await write.trx.selectFrom(table).select(`${column} as sid`).where(column, '=', sid).execute()).length
  return count
}

/**
 * A row as the audit trail tells it: its hooks as they are now, in place of the sids that point at them. To be asked
 * before they change, since hooks change in place.
 */
export const withHooks = async ({ trx }: WriteTransaction, row: object): Promise<object> => {
  const told: Record<string, unknown> = { ...row }
  for (const pointer of new Set(allPointers.map(([, column]) => column))) {
    const { [pointer]: webhook_sid } = told
    if (webhook_sid === undefined) continue
    delete told[pointer]
    told[pointer.replace(/_sid$/, '')] =
      typeof webhook_sid === 'string'
        ? await trx
            .selectFrom('webhooks')
            .select(['url', 'method', 'username', 'password'])
            .where('webhook_sid', '=', webhook_sid)
            .executeTakeFirst()
        : null
  }
  return told
}

/** Deletes those of these hooks at which nothing points any more (existing platforms share rows). */
export const dropOrphans = async (write: WriteTransaction, sids: readonly (string | null)[]): Promise<void> => {
  const { trx } = write
  const loose = new Set(sids.filter((sid) => sid !== null))
  for (const [table, column] of pointersOf(write)) {
    if (loose.size === 0) return
    const rows = await trx
      .selectFrom(table)
      .select(`${column} as sid`)
      .where(column, 'in', [...loose])
      .execute()
    for (const { sid } of rows) if (sid !== null) loose.delete(sid)
  }
  if (loose.size > 0)
    await trx
      .deleteFrom('webhooks')
      .where('webhook_sid', 'in', [...loose])
      .execute()
}
