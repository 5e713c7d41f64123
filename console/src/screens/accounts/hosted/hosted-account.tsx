import type { Account } from '@patchbay/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { meQuery } from '../../../api/queries.ts'
import { FormLoading } from '../../../form/form-loading.tsx'
import styles from './hosted.module.css'
import { usePaymentReturn } from './payment-return.ts'
import { SetupSection, useLacking } from './setup-section.tsx'
import { SubscriptionSection } from './subscription-section.tsx'

const awaitedEveryMs = 2000

/** What the screen of an account shows its own people in a hosted installation. */
export const HostedAccount = ({ account }: { account: Account }) => {
  const isAwaited = usePaymentReturn()
  const lacking = useLacking(account)
  // The plan changes once Stripe has told of the payment.
  const me = useQuery({ ...meQuery, refetchInterval: isAwaited && awaitedEveryMs })
  return (
    <div className={styles['sections']}>
      {me.data && lacking ? (
        <>
          <SetupSection account_sid={account.account_sid} lacking={lacking} />
          <SubscriptionSection account={account} me={me.data} />
        </>
      ) : (
        <FormLoading queries={[me]} sections={2} />
      )}
    </div>
  )
}
