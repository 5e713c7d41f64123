import type { BillingOutcome } from '@patchbay/contract/billing'
import { ApiError } from '@patchbay/contract/errors'
import { type BilledSubscription, BillingError } from '../adapters/billing/billing.ts'

/** What whoever waits is told (api/4-calls-and-hosted.md §5.8). */

const refusals = {
  card: 'card_refused',
  refused: 'stripe_refused',
  failed: 'stripe_failed',
  silent: 'stripe_silent',
} as const

/** A fault in words for whoever waits; only those of a card and of a request are Stripe's own. */
export const toBillingApiError = (error: unknown): unknown => {
  if (!(error instanceof BillingError)) return error
  const told = error.kind === 'card' || error.kind === 'refused'
  return new ApiError(refusals[error.kind], told ? { msg: error.message } : {})
}

export const isSilent = (error: unknown): boolean => error instanceof BillingError && error.kind === 'silent'

/** Of one whose payment has not come. */
export const cardOutcome = ({ id, latestInvoice }: BilledSubscription): BillingOutcome => {
  const payment = latestInvoice?.payment
  const client_secret = payment?.clientSecret ?? undefined
  const known = { subscription: id, ...(client_secret ? { client_secret } : {}) }
  if (payment?.needsCustomer) return { status: 'action required', ...known }
  return { status: 'card error', ...known, ...(payment?.reason ? { reason: payment.reason } : {}) }
}

export const toSuccess = ({ latestInvoice, currency }: BilledSubscription): BillingOutcome => ({
  status: 'success',
  chargedAmount: latestInvoice?.paid ?? 0,
  currency,
  statementDescriptor: latestInvoice?.statementDescriptor ?? null,
})

/** Nothing came of it; `fault` says why. */
export const failed = (fault: BillingError | undefined): never => {
  throw fault ?? new BillingError('failed', 'nothing came of it')
}
