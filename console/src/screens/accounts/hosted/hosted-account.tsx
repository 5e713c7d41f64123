import type { Account } from '@patchbay/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { liveRefresh } from '../../../api/live-refresh.ts'
import { meQuery } from '../../../api/shared-queries.ts'
import { FormLoading } from '../../../form/form-loading.tsx'
import styles from './hosted.module.css'
import { usePaymentReturn } from './payment-return.ts'
import { SetupSection, useMissingSetup } from './setup-section.tsx'
import { SubscriptionSection } from './subscription-section.tsx'

const planPollIntervalMs = 2000

/** Setup and subscription sections, shown to account users of a hosted installation. */
export const HostedAccount = ({ account }: { account: Account }) => {
  const isAwaited = usePaymentReturn()
  const missingSetup = useMissingSetup(account)
  // The plan changes only after Stripe's webhook has reported the payment, so this polls until then.
  const me = useQuery({ ...meQuery, ...liveRefresh(isAwaited && planPollIntervalMs) })
  return (
    <div className={styles['sections']}>
      {me.data && missingSetup ? (
        <>
          <SetupSection account_sid={account.account_sid} missingSetup={missingSetup} />
          <SubscriptionSection account={account} me={me.data} />
        </>
      ) : (
        <FormLoading queries={[me]} sections={2} />
      )}
    </div>
  )
}
