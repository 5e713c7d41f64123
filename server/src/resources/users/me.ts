import { throwApiError } from '@patchbay/contract/api/errors'
import { type Me, me, type Subscription } from '@patchbay/contract/users'
import { maskKey, maskToken } from '@patchbay/rules/masking/masking'
import { unpaid } from '../../billing/subscription-rows.ts'
import type { Database } from '../../database/engine.ts'
import type { Encryption } from '../../lib/encryption.ts'

/**
 * SQL for the signed-in user with account and service provider (docs/reference/platform-api/identity.md#current-user).
 */

const userColumns = me.shape.user.omit({ is_view_only: true }).keyof().options
const accountColumns = me.shape.account.omit({ root_domain: true }).keyof().options
const providerColumns = me.shape.sp.keyof().options

/** Returns null for every column. */
const createNullRow = <const C extends string>(columns: readonly C[]): Record<C, null> =>
  // Object.fromEntries does not preserve the key type.
  Object.fromEntries(columns.map((column) => [column, null])) as Record<C, null>

interface AccountSecrets {
  webhook_secret: string
  subspace_client_secret: string | null
  bucket_credential: string | null
}

const maskSecrets = <R extends AccountSecrets>(row: R) => ({
  ...row,
  webhook_secret: maskToken(row.webhook_secret),
  subspace_client_secret: row.subspace_client_secret && maskKey(row.subspace_client_secret),
  bucket_credential: row.bucket_credential === null ? null : ('********' as const),
})

const decryptLast4 = (stored: string | null, encryption: Encryption): string | null => {
  const text = stored === null ? undefined : encryption.decrypt(stored)
  // jambonz encrypts JSON, so the digits are enclosed in quotes.
  return text?.replaceAll('"', '') ?? null
}

/**
 * Returns the subscription of an account that is active, or else the one that is suspended because it is unpaid. A
 * pending subscription that was never active does not count. An account has at most one active subscription.
 */
const findCurrentSubscription = async ({ db }: Database, account_sid: string) => {
  const open = db
    .selectFrom('account_subscriptions')
    .selectAll()
    .where('account_sid', '=', account_sid)
    .where('effective_end_date', 'is', null)
  const running = await open.where('pending', '=', 0).executeTakeFirst()
  return running ?? (await open.where('pending', '=', 1).where('pending_reason', '=', unpaid).executeTakeFirst())
}

const readSubscription = async (
  database: Database,
  encryption: Encryption,
  account_sid: string,
): Promise<Subscription | null> => {
  const current = await findCurrentSubscription(database, account_sid)
  if (current === undefined) return null
  const products = await database.db
    .selectFrom('account_products')
    .innerJoin('products', 'products.product_sid', 'account_products.product_sid')
    .select(['products.name', 'account_products.quantity'])
    .where('account_products.account_subscription_sid', '=', current.account_subscription_sid)
    .orderBy('products.name')
    .execute()
  return {
    status: current.pending === 0 ? 'active' : 'suspended',
    suspend_reason: current.pending === 0 ? null : current.pending_reason,
    account_subscription_sid: current.account_subscription_sid,
    start_date: current.effective_start_date,
    products,
    card_type: current.card_type,
    last4: decryptLast4(current.last4, encryption),
    exp_month: current.exp_month,
    exp_year: current.exp_year,
    statement_descriptor: current.stripe_statement_descriptor,
  }
}

/** Reads additional data of a hosted account. */
const readHostedData = async ({ db }: Database, account_sid: string): Promise<Pick<Me, 'api_keys' | 'static_ips'>> => {
  const keys = await db
    .selectFrom('api_keys')
    .select(['api_key_sid', 'token', 'last_used', 'created_at'])
    .where('account_sid', '=', account_sid)
    .orderBy('created_at')
    .execute()
  const addresses = await db
    .selectFrom('account_static_ips')
    .select('public_ipv4')
    .where('account_sid', '=', account_sid)
    .orderBy('public_ipv4')
    .execute()
  return {
    api_keys: keys.map((key) => ({ ...key, token: maskToken(key.token) })),
    static_ips: addresses.map(({ public_ipv4 }) => public_ipv4),
  }
}

export const readMe = async (
  database: Database,
  encryption: Encryption,
  user_sid: string,
  { is_view_only, is_hosted }: { is_view_only: boolean; is_hosted: boolean },
): Promise<Me> => {
  const { db } = database
  const users = db.selectFrom('users').select(userColumns).where('user_sid', '=', user_sid)
  const user = (await users.executeTakeFirst()) ?? throwApiError('unauthorized')
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
      .executeTakeFirst()) ?? createNullRow(providerColumns)
  return {
    user: {
      ...user,
      force_change: user.force_change === 1,
      email_validated: user.email_validated === 1,
      phone_validated: user.phone_validated === 1,
      is_view_only,
    },
    account: { ...(account ? maskSecrets(account) : createNullRow(accountColumns)), root_domain: sp.root_domain },
    sp,
    subscription: account ? await readSubscription(database, encryption, account.account_sid) : null,
    ...(account && is_hosted ? await readHostedData(database, account.account_sid) : {}),
  }
}
