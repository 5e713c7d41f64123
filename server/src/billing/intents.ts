import type { BoughtProduct } from '@patchbay/contract/billing'
import type { ItemChange } from '../adapters/billing/billing.ts'

/**
 * What somebody wants done at Stripe, written down before anything of it is asked there: whoever comes after a crash does
 * the same again, under the same keys.
 */
export type Intent = {
  /** what it does there has keys that begin so */
  id: string
  /** epoch milliseconds */
  begun: number
} & (
  | { kind: 'upgrade'; account_subscription_sid: string; method: string; products: readonly BoughtProduct[] }
  | {
      kind: 'quantities'
      account_subscription_sid: string
      subscription: string
      items: readonly ItemChange[]
      /** it was to end, and goes on */
      resumes: boolean
    }
  | { kind: 'card'; method: string; old: string | null }
  | { kind: 'downgrade' }
)

/** After that nothing of it is begun any more: it is only found out what came of it. */
export const intentMilliseconds = 300_000
