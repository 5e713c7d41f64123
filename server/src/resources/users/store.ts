import { Refused } from '@patchbay/contract/errors'
import type { Me, Subscription } from '@patchbay/contract/users'
import { randomUUID } from 'node:crypto'
import { type Database, held, oneAtATime } from '../../database/engine.ts'
import type { Write } from '../../database/write.ts'
import type { Encryption } from '../../encryption.ts'

/** All SQL of users (api/1-identity.md §5). */

const viewOnlySid = 'ffbc342a-546a-11ed-bdc3-0242ac120002'

const userColumns = [
  'user_sid',
  'name',
  'email',
  'pending_email',
  'phone',
  'account_sid',
  'service_provider_sid',
  'force_change',
  'provider',
  'provider_userid',
  'scope',
  'email_validated',
  'phone_validated',
  'email_content_opt_out',
  'is_active',
] as const

const noAccount = {
  account_sid: null,
  name: null,
  sip_realm: null,
  service_provider_sid: null,
  plan_type: null,
  device_to_call_ratio: null,
  trial_end_date: null,
  is_active: null,
}
const noProvider = { service_provider_sid: null, name: null, root_domain: null, ms_teams_fqdn: null }

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
  const user = await db.selectFrom('users').select(userColumns).where('user_sid', '=', user_sid).executeTakeFirst()
  if (user === undefined) throw new Refused('unauthorized')
  const account = await db
    .selectFrom('accounts')
    .select([
      'account_sid',
      'name',
      'sip_realm',
      'service_provider_sid',
      'plan_type',
      'device_to_call_ratio',
      'trial_end_date',
      'is_active',
    ])
    .where('account_sid', '=', user.account_sid ?? '')
    .executeTakeFirst()
  const sp =
    (await db
      .selectFrom('service_providers')
      .select(['service_provider_sid', 'name', 'root_domain', 'ms_teams_fqdn'])
      .where('service_provider_sid', '=', account?.service_provider_sid ?? user.service_provider_sid ?? '')
      .executeTakeFirst()) ?? noProvider
  return {
    user: {
      ...user,
      force_change: user.force_change === 1,
      email_validated: user.email_validated === 1,
      phone_validated: user.phone_validated === 1,
      is_view_only,
    },
    account: { ...(account ?? noAccount), root_domain: sp.root_domain },
    sp,
    subscription: account ? await readSubscription(database, encryption, account.account_sid) : null,
  }
}

export const readUser = ({ db }: Pick<Database, 'db'>, user_sid: string) =>
  db
    .selectFrom('users')
    .select([...userColumns, 'hashed_password'])
    .where('user_sid', '=', user_sid)
    .executeTakeFirst()

type UserRow = NonNullable<Awaited<ReturnType<typeof readUser>>>

/** Names are unique without regard to case, since signing in finds them so. */
const checkUnique = async (
  { trx, engine }: Write,
  column: 'name' | 'email',
  value: string,
  except?: string,
): Promise<void> => {
  let same = trx.selectFrom('users').select('user_sid').where(column, '=', value)
  if (except) same = same.where('user_sid', '!=', except)
  if (await held(engine, same).executeTakeFirst()) throw new Refused('user_name_taken', { field: column })
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

export interface UserColumns {
  name?: string
  email?: string
  email_activation_code?: string
  email_validated?: 0 | 1
  hashed_password?: string
  is_active?: 0 | 1
  force_change?: 0 | 1
  account_sid?: string
  service_provider_sid?: string
}

const withoutHash = ({ hashed_password: _hash, ...shown }: UserRow) => shown

export const changeUser = async (
  write: Write,
  user_sid: string,
  columns: UserColumns,
  viewOnly: boolean | undefined,
): Promise<void> => {
  const { trx } = write
  await oneUserAtATime(write)
  const before = await readUser({ db: trx }, user_sid)
  if (before === undefined) throw new Refused('user_unknown')
  if (columns.name) await checkUnique(write, 'name', columns.name, user_sid)
  if (columns.email) await checkUnique(write, 'email', columns.email, user_sid)
  if (Object.values(columns).some((value) => value !== undefined))
    await trx.updateTable('users').set(columns).where('user_sid', '=', user_sid).execute()
  if (viewOnly !== undefined) await setViewOnly(write, user_sid, viewOnly)
  const after = await readUser({ db: trx }, user_sid)
  write.record({
    action: 'update',
    kind: 'user',
    sid: user_sid,
    before: withoutHash(before),
    after: after ? withoutHash(after) : null,
  })
}
