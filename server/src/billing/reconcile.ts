import { type BilledCategory, billedCategories } from '@patchbay/contract/billing/record'
import type { BilledCustomer, BilledItem, BilledSubscription } from '../adapters/billing/billing.ts'
import { isSuspensionReason } from '../database/suspension-reasons.ts'
import type { WriteTransaction } from '../database/write-transaction.ts'
import {
  addRow,
  type BilledAccount,
  categoriesBySid,
  changeAccount,
  changeRow,
  endRows,
  giveStarterPlan,
  type OpenRow,
  type Quantities,
  readAccount,
  recordPlan,
  setQuantities,
  unpaid,
} from './subscription-rows.ts'

/**
 * Reconciles an account's plan with Stripe (docs/reference/platform-api/hosted-mode.md#reconciliation). The result
 * depends only on the two states, so the content, number, and order of Stripe's events do not matter.
 */

/** Returns whether the operator deactivated the account, in which case paying does not reactivate it. */
export const isSwitchedOff = ({ is_active, deactivated_reason }: BilledAccount): boolean =>
  is_active === 0 && !isSuspensionReason(deactivated_reason)

const reactivation = { is_active: 1, deactivated_reason: null } as const

const findCategory = ({ product_sid, category }: BilledItem, products: ReadonlyMap<string, BilledCategory>) =>
  products.get(product_sid ?? '') ?? category ?? undefined

/** Returns the quantities that a subscription includes. */
export const sumQuantities = (
  { items }: BilledSubscription,
  products: ReadonlyMap<string, BilledCategory>,
): Quantities => {
  const sums = { voice_call_session: 0, device: 0 }
  for (const item of items) {
    const category = findCategory(item, products)
    if (category) sums[category] += item.quantity
  }
  return sums
}

export const isSame = (one: Quantities, other: Quantities): boolean =>
  billedCategories.every((category) => one[category] === other[category])

const getSids = (rows: readonly OpenRow[]): string[] => rows.map((row) => row.account_subscription_sid)

const belongsTo = ({ id, account_subscription_sid }: BilledSubscription, row: OpenRow): boolean =>
  row.stripe_subscription_id === id || row.account_subscription_sid === account_subscription_sid

/** Returns whether the row is or was in effect: it is active, or it was until a payment failed. */
const hasRun = ({ pending, pending_reason }: OpenRow): boolean => pending === 0 || pending_reason === unpaid

/**
 * Returns the subscription that is active or has an overdue payment. If there are several, it is the one of an open
 * row, or else the oldest.
 */
export const findCurrentSubscription = (
  { subscriptions }: Pick<BilledCustomer, 'subscriptions'>,
  { rows }: Pick<BilledAccount, 'rows'>,
): BilledSubscription | undefined => {
  const live = subscriptions.filter(({ status }) => status === 'running' || status === 'owed')
  return live.find((one) => rows.some((row) => belongsTo(one, row))) ?? live.at(-1)
}

/** Returns the SID of the row that represents the subscription from now on. Adds one if necessary. */
const findOrAddRow = async (
  tx: WriteTransaction,
  account: BilledAccount,
  current: BilledSubscription,
  quantities: Quantities,
): Promise<string> => {
  const ownRows = account.rows.filter((row) => belongsTo(current, row))
  const ready = ownRows.find((row) => row.pending === 0) ?? ownRows.find(hasRun)
  if (ready && isSame(ready.quantities, quantities)) return ready.account_subscription_sid
  const waiting =
    ownRows.find((row) => !hasRun(row) && isSame(row.quantities, quantities)) ?? (ready ? undefined : ownRows[0])
  if (waiting) return waiting.account_subscription_sid
  const { account_sid } = account
  return addRow(tx, { account_sid, pending: 1, stripe_subscription_id: current.id, quantities })
}

const activate = async (
  tx: WriteTransaction,
  account: BilledAccount,
  current: BilledSubscription,
  products: ReadonlyMap<string, BilledCategory>,
): Promise<void> => {
  const { account_sid, plan_type, is_active } = account
  const quantities = sumQuantities(current, products)
  const sid = await findOrAddRow(tx, account, current, quantities)
  const row = account.rows.find(({ account_subscription_sid }) => account_subscription_sid === sid)
  const isActive = row?.pending === 0 && row.stripe_subscription_id === current.id
  if (!isActive) {
    const change = { pending: 0, pending_reason: null, stripe_subscription_id: current.id, starts: true } as const
    await changeRow(tx, sid, change)
  }
  if (!isSame(row?.quantities ?? quantities, quantities)) await setQuantities(tx, sid, quantities)
  const others = account.rows.filter(({ account_subscription_sid }) => account_subscription_sid !== sid)
  const waitingRows = current.hasPendingChange
    ? others.filter((other) => belongsTo(current, other) && !hasRun(other))
    : []
  const obsoleteRows = others.filter((other) => !waitingRows.includes(other))
  await endRows(tx, getSids(obsoleteRows), plan_type === 'paid' ? 'change plan details' : 'upgrade to paid plan')
  for (const { account_subscription_sid } of waitingRows)
    await changeRow(tx, account_subscription_sid, { pending_reason: 'payment required' })
  const active = isSwitchedOff(account) ? is_active : 1
  if (plan_type !== 'paid' || active !== is_active)
    await changeAccount(tx, account_sid, { plan_type: 'paid', ...(active === is_active ? {} : reactivation) })
}

/** Suspends the plan until the overdue payment arrives. Pending changes are dropped. */
const suspend = async (tx: WriteTransaction, account: BilledAccount, current: BilledSubscription): Promise<void> => {
  const { account_sid, rows, plan_type, is_active } = account
  const ownRows = rows.filter((row) => belongsTo(current, row))
  const activeRow = ownRows.find(hasRun) ?? ownRows[0]
  for (const row of rows)
    if (row === activeRow) {
      if (row.pending === 0 || row.pending_reason !== unpaid) {
        const change = { pending: 1, pending_reason: unpaid, stripe_subscription_id: current.id } as const
        await changeRow(tx, row.account_subscription_sid, change)
      }
    } else await endRows(tx, [row.account_subscription_sid], unpaid)
  if (plan_type === 'paid' && is_active === 0) return
  const deactivation = is_active === 1 ? ({ is_active: 0, deactivated_reason: unpaid } as const) : {}
  await changeAccount(tx, account_sid, { plan_type: 'paid', ...deactivation })
}

/** Handles an account without a paid subscription: ends paid rows and falls back to the free plan. */
const endPaidPlan = async (
  tx: WriteTransaction,
  account: BilledAccount,
  billedCustomer: BilledCustomer,
  reason: string,
): Promise<void> => {
  const { account_sid, rows } = account
  const findIncomplete = (row: OpenRow) =>
    billedCustomer.subscriptions.find((one) => one.status === 'incomplete' && belongsTo(one, row))
  const waitingRow = rows.find((row) => !hasRun(row) && findIncomplete(row))
  const incomplete = waitingRow && findIncomplete(waitingRow)
  if (incomplete && waitingRow) {
    const pending_reason = incomplete.latestInvoice?.payment?.needsCustomer ? 'action required' : 'card error'
    const change = { pending_reason, stripe_subscription_id: incomplete.id }
    await changeRow(tx, waitingRow.account_subscription_sid, change)
  }
  const paidRows = rows.filter((row) => row !== waitingRow && hasRun(row) && row.stripe_subscription_id !== null)
  const unusedRows = rows.filter((row) => row !== waitingRow && !hasRun(row))
  await endRows(tx, getSids(unusedRows), reason)
  if (paidRows.length === 0) return
  await endRows(tx, getSids(paidRows), 'downgraded to free plan')
  await giveStarterPlan(tx, account_sid, 'free')
  if (account.is_active === 0 && !isSwitchedOff(account)) await changeAccount(tx, account_sid, reactivation)
}

/**
 * Makes the rows of an account agree with Stripe. Returns the account after the change.
 * @param reason recorded for purchases that were not completed
 */
export const reconcile = async (
  tx: WriteTransaction,
  account_sid: string,
  billedCustomer: BilledCustomer,
  reason: string,
): Promise<BilledAccount | undefined> => {
  const { trx, engine } = tx
  const before = await readAccount(trx, engine, account_sid, true)
  if (before === undefined) return undefined
  const current = findCurrentSubscription(billedCustomer, before)
  if (current?.status === 'running') await activate(tx, before, current, await categoriesBySid(trx))
  else if (current) await suspend(tx, before, current)
  else await endPaidPlan(tx, before, billedCustomer, reason)
  if (billedCustomer.isDeleted) await changeAccount(tx, account_sid, { stripe_customer_id: null })
  const after = await readAccount(trx, engine, account_sid)
  recordPlan(tx, before, after)
  return after
}
