import type { Me, Subscription } from '@patchbay/contract/users'
import { type ReactNode, useState } from 'react'
import { errorMessage, getRequestId } from '../../api/api-error.ts'
import { queryClient } from '../../api/query-client.ts'
import { meQuery } from '../../api/shared-queries.ts'
import { useAction } from '../../feedback/use-action.ts'
import { useBlockingNotice } from '../../feedback/use-blocking-notice.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { managePayment } from '../../routes/subscription.ts'
import { useScreenParams } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { viewOnlyReason } from '../../session/view-only.ts'
import { Button } from '../../ui/button.tsx'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { FormFrame, FormSection } from '../../ui/fields/form-frame.tsx'
import { EmptyState } from '../../ui/table/list-state.tsx'
import { BillingScreen, CancelLink, type OfAccount, useGoToAccount } from './billing-page.tsx'
import { useCardEntry } from './card-entry.tsx'
import { completePayment, order } from './submit-order.ts'
import styles from './subscription.module.css'

export const loader = (): Promise<unknown> => prefetchWithin(() => queryClient.ensureQueryData(meQuery))

/** Manages the card that pays for the account. */
export const ManagePaymentPage = (): ReactNode => {
  const params = useScreenParams(managePayment)
  return (
    <BillingScreen
      screen={managePayment}
      params={params}
      description="The card that pays for your subscription."
      plan="any"
    >
      {(me) => <Payment me={me} params={params} />}
    </BillingScreen>
  )
}

const Payment = ({ me: { subscription }, params }: { me: Me; params: OfAccount }) => {
  const [isChanging, setChanging] = useState(false)
  if (subscription === null || subscription.last4 === null)
    return <EmptyState title="No card is stored." hint="Upgrade to a paid subscription to enter one." />
  return (
    <div className={styles['sections']}>
      <CurrentCard subscription={subscription}>
        {!isChanging && (
          <div className={styles['acts']}>
            <CancelLink params={params} />
            <Button
              variant="primary"
              disabledReason={viewOnlyReason(requiredSession().actor)}
              onClick={() => setChanging(true)}
            >
              Change Payment Info
            </Button>
          </div>
        )}
      </CurrentCard>
      {isChanging && <NewCard params={params} onCancel={() => setChanging(false)} />}
    </div>
  )
}

const CurrentCard = ({ subscription, children }: { subscription: Subscription; children: ReactNode }) => {
  const { card_type, last4, exp_month, exp_year } = subscription
  return (
    <FormSection title="Current Payment Information">
      <DefinitionList
        entries={[
          ['Card Type', card_type ?? '—'],
          ['Card Number', `**** **** **** ${last4}`, { mono: true }],
          ['Expiration', exp_month && exp_year ? `${exp_month}/${exp_year}` : '—', { mono: true }],
        ]}
      />
      {children}
    </FormSection>
  )
}

const stillOwed = 'The new card was stored, but the outstanding amount could not be charged.'

const NewCard = ({ params, onCancel }: { params: OfAccount; onCancel: () => void }) => {
  const { account_sid } = params
  const card = useCardEntry('New Payment Information')
  const processing = useBlockingNotice()
  const save = useAction({
    run: async () => {
      const payment_method_id = await card.makeMethod()
      const outcome = await processing.during(() => order({ action: 'update-payment-method', payment_method_id }))
      await completePayment(outcome, account_sid, stillOwed)
    },
    done: () => 'Payment completed successfully',
    changes: [meQuery.queryKey, ['account', account_sid]],
    after: useGoToAccount(params),
  })
  return (
    <FormFrame
      label="New Payment Information"
      onSubmit={() => save.mutate(undefined)}
      submitError={save.error === null ? undefined : errorMessage(save.error)}
      requestId={getRequestId(save.error)}
      dirty={false}
      status="Used from now on"
      busy={save.isPending}
      blocked={card.isReady ? undefined : 'The card form is still loading.'}
      saveLabel="Save New Card"
      cancel={<Button onClick={onCancel}>Cancel</Button>}
    >
      {card.fields}
      {processing.notice}
    </FormFrame>
  )
}
