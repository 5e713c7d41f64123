import type { Account } from '@patchbay/contract/accounts'
import type { Me } from '@patchbay/contract/users'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { config } from '../../../api/configuration.ts'
import { managePayment, modifySubscription, upgradeSubscription } from '../../../routes/subscription.ts'
import { ScreenLink } from '../../../screen/links.tsx'
import { requiredSession } from '../../../session/session.ts'
import { viewOnlyReason } from '../../../session/view-only.ts'
import { Button, buttonClass } from '../../../ui/button.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { DeleteOwnAccount } from './delete-own-account.tsx'
import styles from './hosted.module.css'
import { planText } from './plan-text.ts'
import { invoiceQuery } from './queries.ts'

/** Shows the plan of the account, with buttons to change it and to delete the account. */
export const SubscriptionSection = ({ account, me }: { account: Account; me: Me }) => {
  const [isDeleting, setDeleting] = useState(false)
  const sells = Boolean(config().hosting?.stripePublishableKey)
  const isPaid = me.account.plan_type === 'paid'
  const invoice = useQuery({ ...invoiceQuery, enabled: sells && isPaid })
  const { account_sid } = account
  const params = { account_sid }
  return (
    <>
      <FormSection title="Your Subscription">
        <p>{planText({ ...me.account, subscription: me.subscription, invoice: invoice.data })}</p>
        <div className={styles['acts']}>
          {sells && isPaid && (
            <>
              <ScreenLink to={managePayment} params={params} className={buttonClass()}>
                Manage Payment Info
              </ScreenLink>
              <ScreenLink to={modifySubscription} params={params} className={buttonClass()}>
                Modify My Subscription
              </ScreenLink>
            </>
          )}
          {sells && !isPaid && (
            <ScreenLink to={upgradeSubscription} params={params} className={buttonClass('primary')}>
              Upgrade to a Paid Subscription
            </ScreenLink>
          )}
          {!isDeleting && (
            <Button disabledReason={viewOnlyReason(requiredSession().actor)} onClick={() => setDeleting(true)}>
              Delete Account
            </Button>
          )}
        </div>
      </FormSection>
      {isDeleting && (
        <DeleteOwnAccount
          account={account}
          hasPassword={me.user.provider === 'local'}
          onCancel={() => setDeleting(false)}
        />
      )}
    </>
  )
}
