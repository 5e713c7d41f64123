import { randomUUID } from 'node:crypto'
import { type BilledCategory, billedCategories } from '@patchbay/contract/billing/record'
import { type StarterPlan, starterPlans } from '@patchbay/rules/plans/pricing'
import type { Transaction } from 'kysely'
import type { Card } from '../adapters/billing/billing.ts'
import { type EngineName, lockForUpdate, sqlTime } from '../database/engine.ts'
import { suspensionReasons } from '../database/suspension-reasons.ts'
import type { Tables } from '../database/tables.ts'
import type { WriteTransaction } from '../database/write-transaction.ts'

/**
 * Queries for the plan tables of jambonz (docs/reference/platform-api/database.md#plan-tables). No other module queries
 * them.
 */

/** Reason of a row that was suspended because a payment failed. */
export const unpaid = suspensionReasons.payment

export type Quantities = Readonly<Record<BilledCategory, number>>

export interface OpenRow {
  account_subscription_sid: string
  pending: 0 | 1
  pending_reason: string | null
  stripe_subscription_id: string | null
  quantities: Quantities
}

export interface BilledAccount {
  account_sid: string
  service_provider_sid: string
  plan_type: 'trial' | 'free' | 'paid'
  is_active: 0 | 1
  deactivated_reason: string | null
  stripe_customer_id: string | null
  /** Rows that have not ended. */
  rows: OpenRow[]
}

const noQuantities: Quantities = { voice_call_session: 0, device: 0 }

type Products = ReadonlyMap<string, BilledCategory>

/** Returns the products that can be bought. */
export const readProducts = async (
  db: Pick<Transaction<Tables>, 'selectFrom'>,
): Promise<{ product_sid: string; name: string; category: BilledCategory }[]> => {
  const rows = await db.selectFrom('products').select(['product_sid', 'name', 'category']).execute()
  return rows.flatMap(({ product_sid, name, category }) => {
    const billedCategory = billedCategories.find((one) => one === category)
    return billedCategory ? [{ product_sid, name, category: billedCategory }] : []
  })
}

const readQuantities = async (
  db: Pick<Transaction<Tables>, 'selectFrom'>,
  sids: readonly string[],
  products: Products,
): Promise<Map<string, Quantities>> => {
  const quantitiesBySid = new Map<string, Quantities>()
  if (sids.length === 0) return quantitiesBySid
  const rows = await db
    .selectFrom('account_products')
    .select(['account_subscription_sid', 'product_sid', 'quantity'])
    .where('account_subscription_sid', 'in', sids)
    .execute()
  for (const { account_subscription_sid, product_sid, quantity } of rows) {
    const category = products.get(product_sid)
    if (category === undefined) continue
    const previous = quantitiesBySid.get(account_subscription_sid) ?? noQuantities
    quantitiesBySid.set(account_subscription_sid, { ...previous, [category]: quantity })
  }
  return quantitiesBySid
}

export const categoriesBySid = async (db: Pick<Transaction<Tables>, 'selectFrom'>): Promise<Products> =>
  new Map((await readProducts(db)).map(({ product_sid, category }) => [product_sid, category]))

/** @param locksRow whether the account is locked until the end of the transaction */
export const readAccount = async (
  db: Pick<Transaction<Tables>, 'selectFrom'>,
  engine: EngineName,
  account_sid: string,
  locksRow = false,
): Promise<BilledAccount | undefined> => {
  const query = db
    .selectFrom('accounts')
    .select([
      'account_sid',
      'service_provider_sid',
      'plan_type',
      'is_active',
      'deactivated_reason',
      'stripe_customer_id',
    ])
    .where('account_sid', '=', account_sid)
  const account = await (locksRow ? lockForUpdate(engine, query) : query).executeTakeFirst()
  if (account === undefined) return undefined
  const rows = await db
    .selectFrom('account_subscriptions')
    .select(['account_subscription_sid', 'pending', 'pending_reason', 'stripe_subscription_id'])
    .where('account_sid', '=', account_sid)
    .where('effective_end_date', 'is', null)
    .orderBy('effective_start_date')
    .orderBy('account_subscription_sid')
    .execute()
  const sids = rows.map((row) => row.account_subscription_sid)
  const quantities = await readQuantities(db, sids, await categoriesBySid(db))
  const openRows = rows.map((row) => ({
    ...row,
    quantities: quantities.get(row.account_subscription_sid) ?? noQuantities,
  }))
  return { ...account, rows: openRows }
}

const endReason = (reason: string) => reason.slice(0, 255)

/** Ends open rows. They remain as history. */
export const endRows = async (
  { trx, engine }: WriteTransaction,
  sids: readonly string[],
  reason: string,
): Promise<void> => {
  if (sids.length === 0) return
  await trx
    .updateTable('account_subscriptions')
    .set({ effective_end_date: sqlTime(engine, new Date()), change_reason: endReason(reason) })
    .where('account_subscription_sid', 'in', sids)
    .where('effective_end_date', 'is', null)
    .execute()
}

/** Replaces the quantities of a subscription. */
export const setQuantities = async (
  { trx }: WriteTransaction,
  account_subscription_sid: string,
  quantities: Quantities,
): Promise<void> => {
  await trx.deleteFrom('account_products').where('account_subscription_sid', '=', account_subscription_sid).execute()
  for (const { product_sid, category } of await readProducts(trx)) {
    const row = { account_product_sid: randomUUID(), account_subscription_sid, product_sid }
    await trx
      .insertInto('account_products')
      .values({ ...row, quantity: quantities[category] })
      .execute()
  }
}

export interface NewRow {
  account_subscription_sid?: string
  account_sid: string
  pending: 0 | 1
  stripe_subscription_id?: string
  stripe_payment_method_id?: string
  quantities: Quantities
}

export const addRow = async (tx: WriteTransaction, { quantities, ...row }: NewRow): Promise<string> => {
  const account_subscription_sid = row.account_subscription_sid ?? randomUUID()
  await tx.trx
    .insertInto('account_subscriptions')
    .values({ ...row, account_subscription_sid, effective_start_date: sqlTime(tx.engine, new Date()) })
    .execute()
  await setQuantities(tx, account_subscription_sid, quantities)
  return account_subscription_sid
}

export interface RowChange {
  pending?: 0 | 1
  pending_reason?: string | null
  stripe_subscription_id?: string
  /** Set to make the row start now. */
  starts?: true
}

export const changeAccount = async (
  { trx }: WriteTransaction,
  account_sid: string,
  change: Partial<Pick<BilledAccount, 'plan_type' | 'is_active' | 'deactivated_reason' | 'stripe_customer_id'>>,
): Promise<void> => {
  await trx.updateTable('accounts').set(change).where('account_sid', '=', account_sid).execute()
}

const maxReasonLength = 52

export const changeRow = async (
  { trx, engine }: WriteTransaction,
  account_subscription_sid: string,
  { starts, pending_reason, ...change }: RowChange,
): Promise<void> => {
  await trx
    .updateTable('account_subscriptions')
    .set({
      ...change,
      ...(pending_reason === undefined ? {} : { pending_reason: pending_reason?.slice(0, maxReasonLength) ?? null }),
      ...(starts ? { effective_start_date: sqlTime(engine, new Date()) } : {}),
    })
    .where('account_subscription_sid', '=', account_subscription_sid)
    .execute()
}

/**
 * Stores the card on all open rows of a paid plan.
 * @param card with `last4` encrypted
 */
export const setCard = async (
  { trx }: WriteTransaction,
  account_sid: string,
  card: Omit<Card, 'last4'> & { last4: string },
  statementDescriptor: string | null,
): Promise<void> => {
  const { id: stripe_payment_method_id, last4, exp_month, exp_year, card_type } = card
  const cardColumns = { last4, exp_month, exp_year, card_type }
  await trx
    .updateTable('account_subscriptions')
    .set({ stripe_payment_method_id, ...cardColumns, stripe_statement_descriptor: statementDescriptor })
    .where('account_sid', '=', account_sid)
    .where('effective_end_date', 'is', null)
    .where('stripe_subscription_id', 'is not', null)
    .execute()
}

/** Replaces the current plan by a free one. */
export const giveStarterPlan = async (tx: WriteTransaction, account_sid: string, plan: StarterPlan): Promise<void> => {
  const { trx, engine } = tx
  const running = trx
    .selectFrom('account_subscriptions')
    .select('account_subscription_sid')
    .where('account_sid', '=', account_sid)
    .where('pending', '=', 0)
    .where('effective_end_date', 'is', null)
  const runningSids = (await lockForUpdate(engine, running).execute()).map((row) => row.account_subscription_sid)
  await endRows(tx, runningSids, plan === 'free' ? 'downgraded to free plan' : 'trial')
  await addRow(tx, { account_sid, pending: 0, quantities: starterPlans[plan] })
  await changeAccount(tx, account_sid, { plan_type: plan })
}

/**
 * Assigns a free plan to an account without a subscription at Stripe, such as a new one
 * (docs/reference/platform-api/hosted-mode.md#plans).
 */
export const assignStarterPlan = async (
  tx: WriteTransaction,
  account_sid: string,
  plan: StarterPlan,
): Promise<void> => {
  const before = await readAccount(tx.trx, tx.engine, account_sid, true)
  if (before === undefined) return
  await giveStarterPlan(tx, account_sid, plan)
  recordPlan(tx, before, await readAccount(tx.trx, tx.engine, account_sid))
}

const summarizePlan = ({ plan_type, is_active, rows }: BilledAccount) => {
  const running = rows.find(({ pending }) => pending === 0)
  const waiting = rows.find(({ pending }) => pending === 1)
  return { plan_type, is_active, ...noQuantities, ...running?.quantities, waits_for: waiting?.pending_reason ?? null }
}

/** Records the change of an account's plan in the audit trail. */
export const recordPlan = (tx: WriteTransaction, before: BilledAccount, after: BilledAccount | undefined): void => {
  if (after === undefined) return
  const { account_sid, service_provider_sid } = before
  const owner = { account_sid, service_provider_sid }
  const event = { action: 'update', kind: 'plan', sid: account_sid, owner } as const
  tx.record({ ...event, before: summarizePlan(before), after: summarizePlan(after) })
}
