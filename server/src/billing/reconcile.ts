import { type BilledCategory, billedCategories } from '@patchbay/contract/plans/pricing'
import { isSuspensionReason } from '@patchbay/contract/plans/plans'
import type { BilledCustomer, BilledItem, BilledSubscription } from '../adapters/billing/billing.ts'
import type { WriteTransaction } from '../database/write-transaction.ts'
import {
  addRow,
  changeAccount,
  type BilledAccount,
  categoriesBySid,
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
 * Makes what we hold of an account's plan agree with what Stripe has (api/4-calls-and-hosted.md §5.9). It looks at the
 * two states alone, so that it does not matter which events said what, how often, and in which order.
 */

/** By its operator, so that paying does not help. */
export const isSwitchedOff = ({ is_active, deactivated_reason }: BilledAccount): boolean =>
  is_active === 0 && !isSuspensionReason(deactivated_reason)

const comesBack = { is_active: 1, deactivated_reason: null } as const

const categoryOf = ({ product_sid, category }: BilledItem, products: ReadonlyMap<string, BilledCategory>) =>
  products.get(product_sid ?? '') ?? category ?? undefined

/** What a subscription gives. */
export const boughtIn = ({ items }: BilledSubscription, products: ReadonlyMap<string, BilledCategory>): Quantities => {
  const sums = { voice_call_session: 0, device: 0 }
  for (const item of items) {
    const category = categoryOf(item, products)
    if (category) sums[category] += item.quantity
  }
  return sums
}

export const isSame = (one: Quantities, other: Quantities): boolean =>
  billedCategories.every((category) => one[category] === other[category])

const sidsOf = (rows: readonly OpenRow[]): string[] => rows.map((row) => row.account_subscription_sid)

const isFor = ({ id, account_subscription_sid }: BilledSubscription, row: OpenRow): boolean =>
  row.stripe_subscription_id === id || row.account_subscription_sid === account_subscription_sid

/** It gave something once: it runs, or it did until it was not paid. */
const hasRun = ({ pending, pending_reason }: OpenRow): boolean => pending === 0 || pending_reason === unpaid

/** The one that gives something, or would if it were paid; of several that of an open row, else the oldest. */
export const findCurrentSubscription = (
  { subscriptions }: Pick<BilledCustomer, 'subscriptions'>,
  { rows }: Pick<BilledAccount, 'rows'>,
): BilledSubscription | undefined => {
  const live = subscriptions.filter(({ status }) => status === 'running' || status === 'owed')
  return live.find((one) => rows.some((row) => isFor(one, row))) ?? live.at(-1)
}

/** The row that says what the subscription gives from now on. */
const rowFor = async (
  tx: WriteTransaction,
  account: BilledAccount,
  current: BilledSubscription,
  bought: Quantities,
): Promise<string> => {
  const ours = account.rows.filter((row) => isFor(current, row))
  const ready = ours.find((row) => row.pending === 0) ?? ours.find(hasRun)
  if (ready && isSame(ready.quantities, bought)) return ready.account_subscription_sid
  const waiting = ours.find((row) => !hasRun(row) && isSame(row.quantities, bought)) ?? (ready ? undefined : ours[0])
  if (waiting) return waiting.account_subscription_sid
  const { account_sid } = account
  return addRow(tx, { account_sid, pending: 1, stripe_subscription_id: current.id, quantities: bought })
}

const run = async (
  tx: WriteTransaction,
  account: BilledAccount,
  current: BilledSubscription,
  products: ReadonlyMap<string, BilledCategory>,
): Promise<void> => {
  const { account_sid, plan_type, is_active } = account
  const bought = boughtIn(current, products)
  const sid = await rowFor(tx, account, current, bought)
  const row = account.rows.find(({ account_subscription_sid }) => account_subscription_sid === sid)
  const stays = row?.pending === 0 && row.stripe_subscription_id === current.id
  if (!stays) {
    const change = { pending: 0, pending_reason: null, stripe_subscription_id: current.id, starts: true } as const
    await changeRow(tx, sid, change)
  }
  if (!isSame(row?.quantities ?? bought, bought)) await setQuantities(tx, sid, bought)
  const others = account.rows.filter(({ account_subscription_sid }) => account_subscription_sid !== sid)
  const waits = current.hasPendingChange ? others.filter((other) => isFor(current, other) && !hasRun(other)) : []
  const over = others.filter((other) => !waits.includes(other))
  await endRows(tx, sidsOf(over), plan_type === 'paid' ? 'change plan details' : 'upgrade to paid plan')
  for (const { account_subscription_sid } of waits)
    await changeRow(tx, account_subscription_sid, { pending_reason: 'payment required' })
  const active = isSwitchedOff(account) ? is_active : 1
  if (plan_type !== 'paid' || active !== is_active)
    await changeAccount(tx, account_sid, { plan_type: 'paid', ...(active === is_active ? {} : comesBack) })
}

/** Nothing is given until it is paid; a change that waits is forgotten. */
const suspend = async (tx: WriteTransaction, account: BilledAccount, current: BilledSubscription): Promise<void> => {
  const { account_sid, rows, plan_type, is_active } = account
  const ours = rows.filter((row) => isFor(current, row))
  const ran = ours.find(hasRun) ?? ours[0]
  for (const row of rows)
    if (row === ran) {
      if (row.pending === 0 || row.pending_reason !== unpaid) {
        const change = { pending: 1, pending_reason: unpaid, stripe_subscription_id: current.id } as const
        await changeRow(tx, row.account_subscription_sid, change)
      }
    } else await endRows(tx, [row.account_subscription_sid], unpaid)
  if (plan_type === 'paid' && is_active === 0) return
  const off = is_active === 1 ? ({ is_active: 0, deactivated_reason: unpaid } as const) : {}
  await changeAccount(tx, account_sid, { plan_type: 'paid', ...off })
}

/** Nothing is paid any more. */
const fallBack = async (
  tx: WriteTransaction,
  account: BilledAccount,
  far: BilledCustomer,
  reason: string,
): Promise<void> => {
  const { account_sid, rows } = account
  const begun = (row: OpenRow) => far.subscriptions.find((one) => one.status === 'incomplete' && isFor(one, row))
  const waits = rows.find((row) => !hasRun(row) && begun(row))
  const first = waits && begun(waits)
  if (first && waits) {
    const pending_reason = first.latestInvoice?.payment?.needsCustomer ? 'action required' : 'card error'
    const change = { pending_reason, stripe_subscription_id: first.id }
    await changeRow(tx, waits.account_subscription_sid, change)
  }
  const paid = rows.filter((row) => row !== waits && hasRun(row) && row.stripe_subscription_id !== null)
  const never = rows.filter((row) => row !== waits && !hasRun(row))
  await endRows(tx, sidsOf(never), reason)
  if (paid.length === 0) return
  await endRows(tx, sidsOf(paid), 'downgraded to free plan')
  await giveStarterPlan(tx, account_sid, 'free')
  if (account.is_active === 0 && !isSwitchedOff(account)) await changeAccount(tx, account_sid, comesBack)
}

/** `reason`: why something that was begun came to nothing. Answers the account as it is then. */
export const agree = async (
  tx: WriteTransaction,
  account_sid: string,
  far: BilledCustomer,
  reason: string,
): Promise<BilledAccount | undefined> => {
  const { trx, engine } = tx
  const before = await readAccount(trx, engine, account_sid, true)
  if (before === undefined) return undefined
  const current = findCurrentSubscription(far, before)
  if (current?.status === 'running') await run(tx, before, current, await categoriesBySid(trx))
  else if (current) await suspend(tx, before, current)
  else await fallBack(tx, before, far, reason)
  if (far.isDeleted) await changeAccount(tx, account_sid, { stripe_customer_id: null })
  const after = await readAccount(trx, engine, account_sid)
  recordPlan(tx, before, after)
  return after
}
