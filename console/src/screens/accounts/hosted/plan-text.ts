import type { UpcomingInvoice } from '@patchbay/contract/billing'
import type { Me } from '@patchbay/contract/users'
import { formatMoney, formatPlanCapacity, freePlanCapacity, planCapacity } from '@patchbay/rules/plans/pricing'

/** Describes the plan of an account (docs/reference/platform-api/hosted-mode.md#plan-text). */

export type Plan = Pick<Me['account'], 'plan_type' | 'is_active' | 'trial_end_date' | 'device_to_call_ratio'> & {
  subscription: Pick<NonNullable<Me['subscription']>, 'status' | 'products'> | null
  /** null if no invoice is due, undefined while loading. */
  invoice?: Pick<UpcomingInvoice, 'total' | 'currency' | 'next_payment_attempt'> | null | undefined
}

const days = new Intl.DateTimeFormat('en-US', { month: 'short', day: '2-digit', year: 'numeric' })

/** Formats a date such as `Jan 05, 2026`. */
const formatDay = (at: string | number): string => days.format(new Date(at))

const formatCapacity = ({ device_to_call_ratio, subscription }: Plan): string =>
  formatPlanCapacity(planCapacity(device_to_call_ratio ?? 0, subscription?.products ?? []))

const formatNextInvoice = ({ invoice }: Plan): string => {
  if (invoice === undefined) return ''
  if (invoice === null)
    return ' No further payment is due: at the end of this billing period you return to the free plan.'
  const { total, currency, next_payment_attempt } = invoice
  const on = next_payment_attempt === null ? '' : ` on ${formatDay(next_payment_attempt * 1000)}`
  return ` You will be billed ${formatMoney(total, currency)}${on}.`
}

export const planText = (plan: Plan): string => {
  const { plan_type, is_active, trial_end_date, subscription } = plan
  if (subscription?.status === 'suspended')
    return 'Your last payment failed, so no calls can be made. Enter a valid card to pay the outstanding amount.'
  if (plan_type === 'paid')
    return `You are on the paid plan. It includes ${formatCapacity(plan)}.${formatNextInvoice(plan)}`
  if (plan_type === 'trial') {
    const ends = trial_end_date === null ? '' : ` Your trial ends on ${formatDay(trial_end_date)}.`
    return `You are on the free plan, in your trial period. It is limited to ${formatCapacity(plan)}.${ends}`
  }
  if (is_active === 0) return 'Your trial has expired. Upgrade to a paid subscription to go on.'
  return `Your trial is over, and you are on the free plan. It is limited to ${formatPlanCapacity(freePlanCapacity)}.`
}
