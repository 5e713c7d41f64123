import { type Actor, can, type Owner } from '@patchbay/contract/access'
import { refuse } from '@patchbay/contract/errors'
import { maskKey, maskToken } from '@patchbay/contract/rules/masking'
import { type Me, me, type Subscription } from '@patchbay/contract/users'
import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import { type Database, held, oneAtATime } from '../../database/engine.ts'
import type { Tables } from '../../database/tables.ts'
import type { Write } from '../../database/write.ts'
import type { Encryption } from '../../encryption.ts'
import { isViewOnly, mayAct, placeOf, userStandings } from '../../stores/principals.ts'
import { checkUserChange, type UserChange } from './user-changes.ts'

/** All SQL of users (api/1-identity.md §5). */

const viewOnlySid = 'ffbc342a-546a-11ed-bdc3-0242ac120002'

const userColumns = me.shape.user.omit({ is_view_only: true }).keyof().options
const accountColumns = me.shape.account.omit({ root_domain: true }).keyof().options
const providerColumns = me.shape.sp.keyof().options

/** Every column null. */
const none = <const C extends string>(columns: readonly C[]): Record<C, null> =>
  // Object.fromEntries forgets which names it was given.
  Object.fromEntries(columns.map((column) => [column, null])) as Record<C, null>

interface AccountSecrets {
  webhook_secret: string
  subspace_client_secret: string | null
  bucket_credential: string | null
}

const masked = <R extends AccountSecrets>(row: R) => ({
  ...row,
  webhook_secret: maskToken(row.webhook_secret),
  subspace_client_secret: row.subspace_client_secret && maskKey(row.subspace_client_secret),
  bucket_credential: row.bucket_credential === null ? null : ('********' as const),
})

const last4Of = (stored: string | null, encryption: Encryption): string | null => {
  const text = stored === null ? undefined : encryption.decrypt(stored)
  // The platform encrypts JSON: the digits stand in quotes.
  return text?.replaceAll('"', '') ?? null
}

/** Neither pending nor ended; an account has at most one such. */
const readSubscription = async (
  { db }: Database,
  encryption: Encryption,
  account_sid: string,
): Promise<Subscription | null> => {
  const running = await db
    .selectFrom('account_subscriptions')
    .selectAll()
    .where('account_sid', '=', account_sid)
    .where('pending', '=', 0)
    .where('effective_end_date', 'is', null)
    .executeTakeFirst()
  if (running === undefined) return null
  const products = await db
    .selectFrom('account_products')
    .innerJoin('products', 'products.product_sid', 'account_products.product_sid')
    .select(['products.name', 'account_products.quantity'])
    .where('account_products.account_subscription_sid', '=', running.account_subscription_sid)
    .orderBy('products.name')
    .execute()
  return {
    status: 'active',
    account_subscription_sid: running.account_subscription_sid,
    start_date: running.effective_start_date,
    products,
    card_type: running.card_type,
    last4: last4Of(running.last4, encryption),
    exp_month: running.exp_month,
    exp_year: running.exp_year,
    statement_descriptor: running.stripe_statement_descriptor,
  }
}

export const readMe = async (
  database: Database,
  encryption: Encryption,
  user_sid: string,
  is_view_only: boolean,
): Promise<Me> => {
  const { db } = database
  const users = db.selectFrom('users').select(userColumns).where('user_sid', '=', user_sid)
  const user = (await users.executeTakeFirst()) ?? refuse('unauthorized')
  const account = await db
    .selectFrom('accounts')
    .select(accountColumns)
    .where('account_sid', '=', user.account_sid ?? '')
    .executeTakeFirst()
  const sp =
    (await db
      .selectFrom('service_providers')
      .select(providerColumns)
      .where('service_provider_sid', '=', account?.service_provider_sid ?? user.service_provider_sid ?? '')
      .executeTakeFirst()) ?? none(providerColumns)
  return {
    user: {
      ...user,
      force_change: user.force_change === 1,
      email_validated: user.email_validated === 1,
      phone_validated: user.phone_validated === 1,
      is_view_only,
    },
    account: { ...(account ? masked(account) : none(accountColumns)), root_domain: sp.root_domain },
    sp,
    subscription: account ? await readSubscription(database, encryption, account.account_sid) : null,
  }
}

export const readUser = ({ db }: Pick<Database, 'db'>, user_sid: string) =>
  userStandings(db)
    .select([...userColumns.map((column) => `users.${column}` as const), 'users.hashed_password'])
    .where('users.user_sid', '=', user_sid)
    .executeTakeFirst()

export type UserRow = NonNullable<Awaited<ReturnType<typeof readUser>>>

/** What the rules say to a change, with user and account as they stand now. */
export const checkChange = async (
  db: Kysely<Tables>,
  actor: Actor,
  user: UserRow,
  change: UserChange,
): Promise<Owner | undefined> => {
  const place = placeOf(user)
  // Looked at anew, since the user may have been moved since the caller was let in.
  const asOwner = { ...actor, is_view_only: false, must_change_password: false }
  if (actor.user_sid !== user.user_sid && !can(asOwner, 'write', place)) refuse('forbidden')
  const account_sid = change.account_sid ?? user.account_sid
  const account = await db
    .selectFrom('accounts')
    .select(['account_sid', 'service_provider_sid'])
    .where('account_sid', '=', account_sid ?? '')
    .executeTakeFirst()
  checkUserChange(actor, { ...user, place }, change, account)
  return account
}

/** Names are unique without regard to case, since signing in finds them so. */
const checkUnique = async (
  { trx, engine }: Write,
  column: 'name' | 'email',
  value: string,
  except?: string,
): Promise<void> => {
  let same = trx.selectFrom('users').select('user_sid').where(column, '=', value)
  if (except) same = same.where('user_sid', '!=', except)
  if (await held(engine, same).executeTakeFirst()) refuse('user_name_taken', { field: column })
}

const setViewOnly = async ({ trx, engine }: Write, user_sid: string, viewOnly: boolean): Promise<void> => {
  const named = trx.selectFrom('permissions').select('permission_sid').where('name', '=', 'VIEW_ONLY')
  const permission = await held(engine, named).executeTakeFirst()
  const permission_sid = permission?.permission_sid ?? viewOnlySid
  // Upgraded platform databases may lack the row.
  if (permission === undefined)
    await trx
      .insertInto('permissions')
      .values({ permission_sid, name: 'VIEW_ONLY', description: 'Can view data but not make changes' })
      .execute()
  await trx
    .deleteFrom('user_permissions')
    .where('user_sid', '=', user_sid)
    .where('permission_sid', '=', permission_sid)
    .execute()
  if (viewOnly)
    await trx
      .insertInto('user_permissions')
      .values({ user_permissions_sid: randomUUID(), user_sid, permission_sid })
      .execute()
}

export interface NewUserRow {
  name: string
  email: string
  hashed_password: string
  is_active: 0 | 1
  force_change: 0 | 1
  account_sid: string | null
  service_provider_sid: string | null
}

/** Adopted tables have no unique index on names and addresses, and none keeps a permission from being there twice. */
const oneUserAtATime = ({ trx, engine }: Write): Promise<void> => oneAtATime(trx, engine, 'users')

export const createUser = async (write: Write, user: NewUserRow, viewOnly: boolean): Promise<string> => {
  await oneUserAtATime(write)
  await checkUnique(write, 'name', user.name)
  await checkUnique(write, 'email', user.email)
  const user_sid = randomUUID()
  const { hashed_password, ...shown } = user
  await write.trx
    .insertInto('users')
    .values({ ...shown, hashed_password, user_sid, provider: 'local' })
    .execute()
  await setViewOnly(write, user_sid, viewOnly)
  const after = { ...shown, user_sid, is_view_only: viewOnly }
  write.record({ action: 'create', kind: 'user', sid: user_sid, before: null, after })
  return user_sid
}

export interface NewPassword {
  hash: string
  /** the stored hash when the change was allowed: another one by now means that somebody else was first */
  instead: string | null
  /** by the user, who then need not change it again */
  chosen: boolean
}

const columnsOf = (change: UserChange, account: Owner | undefined, password: NewPassword | undefined) => ({
  ...(change.name ? { name: change.name } : {}),
  ...(change.email ? { email: change.email } : {}),
  ...(change.email_activation_code
    ? { email_activation_code: change.email_activation_code, email_validated: 0 as const }
    : {}),
  ...(change.is_active === undefined ? {} : { is_active: change.is_active }),
  ...(change.force_change === undefined ? {} : { force_change: change.force_change }),
  ...(change.service_provider_sid ? { service_provider_sid: change.service_provider_sid } : {}),
  // With an account comes its provider: other components take a user with an account alone for an admin.
  ...(change.account_sid
    ? { account_sid: change.account_sid, service_provider_sid: account?.service_provider_sid ?? null }
    : {}),
  ...(password ? { hashed_password: password.hash } : {}),
  ...(password?.chosen ? { force_change: 0 as const } : {}),
})

const administers = (user: UserRow): boolean => placeOf(user).scope === 'admin' && mayAct(user) && !isViewOnly(user)

/** Somebody must be left who can do everything. */
const checkAdminLeft = async ({ trx }: Write, before: UserRow, after: UserRow): Promise<void> => {
  if (!administers(before) || administers(after)) return
  const admins = await userStandings(trx)
    .where('users.account_sid', 'is', null)
    .where('users.service_provider_sid', 'is', null)
    .where('users.is_active', '=', 1)
    .execute()
  if (!admins.some((admin) => mayAct(admin) && !isViewOnly(admin))) refuse('last_admin')
}

/** A new password, a deactivation and a move end what is signed in. */
const endsSessions = (before: UserRow, after: UserRow): boolean =>
  after.hashed_password !== before.hashed_password ||
  (before.is_active === 1 && after.is_active !== 1) ||
  after.account_sid !== before.account_sid ||
  after.service_provider_sid !== before.service_provider_sid

const shown = ({ hashed_password: _hash, provider_of_account: _provider, ...user }: UserRow) => user

export const changeUser = async (
  write: Write,
  user_sid: string,
  change: UserChange,
  password: NewPassword | undefined,
): Promise<{ endsSessions: boolean }> => {
  const { trx, author } = write
  // First of all: what a transaction of MySQL reads before it waits stays as it was then.
  await oneUserAtATime(write)
  const before = (await readUser({ db: trx }, user_sid)) ?? refuse('user_unknown')
  const account = author === 'patchbay' ? undefined : await checkChange(trx, author, before, change)
  if (password && password.instead !== before.hashed_password) refuse('forbidden')
  if (change.name) await checkUnique(write, 'name', change.name, user_sid)
  if (change.email) await checkUnique(write, 'email', change.email, user_sid)
  const columns = columnsOf(change, account, password)
  if (Object.keys(columns).length > 0)
    await trx.updateTable('users').set(columns).where('user_sid', '=', user_sid).execute()
  if (change.is_view_only !== undefined) await setViewOnly(write, user_sid, change.is_view_only === 1)
  const after = (await readUser({ db: trx }, user_sid)) ?? refuse('user_unknown')
  await checkAdminLeft(write, before, after)
  write.record({ action: 'update', kind: 'user', sid: user_sid, before: shown(before), after: shown(after) })
  return { endsSessions: endsSessions(before, after) }
}
