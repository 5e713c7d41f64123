import type { BillingForecast, BillingOutcome, BillingRequest } from '@patchbay/contract/billing'
import { ApiError } from '../../api/api-error.ts'
import { api } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { stripeQuery, toCardError } from './stripe.ts'

/** Places orders and completes their payment. */

const isForecast = (answer: BillingOutcome | BillingForecast): answer is BillingForecast => 'monthly_cost' in answer

export const order = async (body: BillingRequest): Promise<BillingOutcome> => {
  const answer = await api('POST /Subscriptions', { body })
  if (isForecast(answer)) throw new ApiError('unparsable', 201, 'The server returned a price instead of a result.')
  return answer
}

export const forecast = async (products: BillingRequest['products']): Promise<BillingForecast> => {
  const answer = await api('POST /Subscriptions', { body: { action: 'update-quantities', dry_run: true, products } })
  if (isForecast(answer)) return answer
  throw new ApiError('unparsable', 201, 'The server returned no price.')
}

/** Confirms the payment with the customer's bank, which redirects to the account page. */
const confirmWithBank = async (clientSecret: string, account_sid: string): Promise<void> => {
  const stripe = await queryClient.fetchQuery(stripeQuery)
  const return_url = `${window.location.origin}/internal/accounts/${account_sid}/edit`
  const { error } = await stripe.confirmPayment({ clientSecret, confirmParams: { return_url } })
  throw toCardError(error)
}

const cardStatuses = new Set<BillingOutcome['status']>([
  'action required',
  'card error',
  'failed to pay outstanding invoices',
])

/** Returns true if the order was created and still needs a card that can pay for it. */
export const isAwaitingCard = ({ status }: BillingOutcome): boolean => cardStatuses.has(status)

/**
 * Returns if the order is paid. Otherwise confirms the payment with the bank, or throws the reason, or `otherwise` if
 * there is none.
 */
export const completePayment = async (
  { status, client_secret, reason }: BillingOutcome,
  account_sid: string,
  defaultReason = 'The payment failed.',
): Promise<void> => {
  if (status === 'success') return
  if (status === 'action required' && client_secret !== undefined) return confirmWithBank(client_secret, account_sid)
  throw new ApiError('rejected', 402, reason ?? defaultReason)
}
