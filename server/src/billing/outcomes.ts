import { ApiError } from '@patchbay/contract/api/errors'
import type { BillingOutcome } from '@patchbay/contract/billing'
import { type BilledSubscription, BillingError } from '../adapters/billing/billing.ts'

/** Results and errors for the client (docs/reference/platform-api/hosted-mode.md#subscriptions). */

const errorCodes = {
  card: 'card_declined',
  refused: 'stripe_rejected',
  failed: 'stripe_failed',
  silent: 'stripe_timeout',
} as const

/** Converts a BillingError to an ApiError. Only card errors and invalid requests carry Stripe's own message. */
export const toBillingApiError = (error: unknown): unknown => {
  if (!(error instanceof BillingError)) return error
  const hasStripeMessage = error.kind === 'card' || error.kind === 'refused'
  return new ApiError(errorCodes[error.kind], hasStripeMessage ? { msg: error.message } : {})
}

export const isSilent = (error: unknown): boolean => error instanceof BillingError && error.kind === 'silent'

/** Returns the outcome of a subscription with an outstanding payment. */
export const cardOutcome = ({ id, latestInvoice }: BilledSubscription): BillingOutcome => {
  const payment = latestInvoice?.payment
  const client_secret = payment?.clientSecret ?? undefined
  const subscriptionFields = { subscription: id, ...(client_secret ? { client_secret } : {}) }
  if (payment?.needsCustomer) return { status: 'action required', ...subscriptionFields }
  return { status: 'card error', ...subscriptionFields, ...(payment?.reason ? { reason: payment.reason } : {}) }
}

export const toSuccess = ({ latestInvoice, currency }: BilledSubscription): BillingOutcome => ({
  status: 'success',
  chargedAmount: latestInvoice?.paid ?? 0,
  currency,
  statementDescriptor: latestInvoice?.statementDescriptor ?? null,
})

/** Throws the error that caused an operation to fail. */
export const throwFailure = (fault: BillingError | undefined): never => {
  throw fault ?? new BillingError('failed', 'the payment provider reported no result')
}
