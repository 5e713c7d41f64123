import type { PricedProduct } from '@patchbay/contract/billing'
import type { Me } from '@patchbay/contract/users'
import { formatMoney, sumLines } from '@patchbay/rules/plans/pricing'
import { type ReactNode, useState } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { meQuery } from '../../api/shared-queries.ts'
import { useAction } from '../../feedback/use-action.ts'
import { useBlockingNotice } from '../../feedback/use-blocking-notice.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { upgradeSubscription } from '../../routes/subscription.ts'
import { useScreenParams } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { BillingScreen, type OfAccount, useGoToAccount } from './billing-page.tsx'
import { useCardEntry } from './card-entry.tsx'
import { OrderForm, PaletteResults } from './order-form.tsx'
import { useLines } from './order-lines.ts'
import { pricesQuery } from './queries.ts'
import { completePayment, isAwaitingCard, order } from './submit-order.ts'

export const loader = (): Promise<unknown> =>
  prefetchWithin(() => Promise.all([queryClient.ensureQueryData(meQuery), queryClient.ensureQueryData(pricesQuery)]))

/** Upgrades an account from the free plan to the paid plan. */
export const UpgradeSubscriptionPage = (): ReactNode => {
  const params = useScreenParams(upgradeSubscription)
  return (
    <BillingScreen
      screen={upgradeSubscription}
      params={params}
      description="Capacity of the paid plan and its monthly cost."
      plan="unpaid"
    >
      {(me) => <PaletteResults>{(offers) => <Upgrade me={me} offers={offers} params={params} />}</PaletteResults>}
    </BillingScreen>
  )
}

interface UpgradeProps {
  me: Me
  offers: readonly PricedProduct[]
  params: OfAccount
}

const Upgrade = ({ me, offers, params }: UpgradeProps) => {
  const { account_sid } = params
  const lines = useLines(me, offers, { raiseToMinimum: true })
  const card = useCardEntry('Payment Information')
  const processing = useBlockingNotice()
  const goToAccount = useGoToAccount(params)
  /** Serialized products of an order that exists but is not paid, because its card was rejected. */
  const [unpaidOrder, setUnpaidOrder] = useState<string>()

  const pay = useAction({
    run: async () => {
      const payment_method_id = await card.makeMethod()
      const { products } = lines
      const currentOrder = JSON.stringify(products)
      const { stripe_customer_id } = me.account
      const outcome = await processing.during(() =>
        order(
          unpaidOrder === currentOrder
            ? { action: 'update-payment-method', payment_method_id }
            : { action: 'upgrade-to-paid', payment_method_id, stripe_customer_id, products: [...products] },
        ),
      )
      if (isAwaitingCard(outcome)) setUnpaidOrder(currentOrder)
      await completePayment(outcome, account_sid)
    },
    done: () => 'Payment completed successfully',
    changes: [meQuery.queryKey, ['account', account_sid]],
    after: goToAccount,
  })

  const total = formatMoney(sumLines(lines.lines))
  const isViewOnly = requiredSession().actor.is_view_only
  return (
    <OrderForm
      label="Upgrade your Subscription"
      me={me}
      params={params}
      lines={lines}
      error={pay.error}
      busy={pay.isPending}
      blocked={card.isReady ? undefined : 'The card form is still loading.'}
      saveLabel={`Pay ${total} and Upgrade to Paid Plan`}
      status="Charged now, and then each month"
      onSubmit={() => pay.mutate(undefined)}
    >
      {!isViewOnly && card.fields}
      {processing.notice}
    </OrderForm>
  )
}
