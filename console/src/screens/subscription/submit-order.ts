import type { BillingForecast, BillingOutcome, BillingRequest } from '@patchbay/contract/billing'
import { api } from '../../api/client.ts'
import { ApiError } from '../../api/api-error.ts'
import { queryClient } from '../../api/query-client.ts'
import { toCardError, stripeQuery } from './stripe.ts'

/** What becomes of a payment. */

const isForecast = (answer: BillingOutcome | BillingForecast): answer is BillingForecast => 'monthly_cost' in answer

export const order = async (body: BillingRequest): Promise<BillingOutcome> => {
  const answer = await api('POST /Subscriptions', { body })
  if (isForecast(answer)) throw new ApiError('unparsable', 201, 'The server told a price in place of an outcome.')
  return answer
}

export const forecast = async (products: BillingRequest['products']): Promise<BillingForecast> => {
  const answer = await api('POST /Subscriptions', { body: { action: 'update-quantities', dry_run: true, products } })
  if (isForecast(answer)) return answer
  throw new ApiError('unparsable', 201, 'The server told no price.')
}

/** The bank asks its customer, wherever it does that, and leads back to the account. */
const askBank = async (clientSecret: string, account_sid: string): Promise<void> => {
  const stripe = await queryClient.fetchQuery(stripeQuery)
  const return_url = `${window.location.origin}/internal/accounts/${account_sid}/edit`
  const { error } = await stripe.confirmPayment({ clientSecret, confirmParams: { return_url } })
  throw toCardError(error)
}

const begun = new Set<BillingOutcome['status']>(['action required', 'card error', 'failed to pay outstanding invoices'])

/** Whether it waits for a card that pays it. */
export const isBegun = ({ status }: BillingOutcome): boolean => begun.has(status)

/** Returns once it is paid; throws what it was refused for, `otherwise` where that is not said. */
export const paid = async (
  { status, client_secret, reason }: BillingOutcome,
  account_sid: string,
  otherwise = 'The payment failed.',
): Promise<void> => {
  if (status === 'success') return
  if (status === 'action required' && client_secret !== undefined) return askBank(client_secret, account_sid)
  throw new ApiError('refused', 402, reason ?? otherwise)
}
