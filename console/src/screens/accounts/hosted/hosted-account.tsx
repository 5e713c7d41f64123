import type { Account } from '@patchbay/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../../api/queries.ts'
import { FormLoading } from '../../../page/form-loading.tsx'
import styles from './hosted.module.css'
import { usePaymentReturn } from './payment-return.ts'
import { SetupSection } from './setup-section.tsx'
import { SubscriptionSection } from './subscription-section.tsx'

/** What the screen of an account shows its own people in a hosted installation. */
export const HostedAccount = ({ account }: { account: Account }) => {
  const isAwaited = usePaymentReturn()
  const me = useQuery({
    ...meQuery,
    // The plan changes once Stripe has told of the payment.
    refetchInterval: ({ state: { data } }) => isAwaited && data?.account.plan_type !== 'paid' && 2000,
  })
  return (
    <div className={styles['sections']}>
      <SetupSection account={account} />
      {me.data ? <SubscriptionSection account={account} me={me.data} /> : <FormLoading queries={[me]} sections={1} />}
    </div>
  )
}
