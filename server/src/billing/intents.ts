import type { BoughtProduct } from '@patchbay/contract/billing'
import type { ItemChange } from '../adapters/billing/billing.ts'

/**
 * A requested change at Stripe. It is stored before the first request, so that after a crash the same change is
 * repeated with the same idempotency keys.
 */
export type Intent = {
  /** Prefix of the idempotency keys of its requests. */
  id: string
  /** Epoch milliseconds. */
  begun: number
} & (
  | { kind: 'upgrade'; account_subscription_sid: string; method: string; products: readonly BoughtProduct[] }
  | {
      kind: 'quantities'
      account_subscription_sid: string
      subscription: string
      items: readonly ItemChange[]
      /** True if the cancellation at the end of the period is to be revoked. */
      resumes: boolean
    }
  | { kind: 'card'; method: string; old: string | null }
  | { kind: 'downgrade' }
)

/** After this time an intent is not carried out any more. Only its outcome is determined. */
export const intentTimeoutMs = 300_000
