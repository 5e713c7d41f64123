import type { BillingForecast, PricedProduct } from '@patchbay/contract/billing'
import type { Me } from '@patchbay/contract/users'
import { computeDevices, formatMoney, formatPlanCapacity, freePlanCapacity } from '@patchbay/rules/plans/pricing'
import { type ReactNode, useState } from 'react'
import { queryClient } from '../../api/query-client.ts'
import { meQuery } from '../../api/shared-queries.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { useBlockingNotice } from '../../feedback/use-blocking-notice.tsx'
import { useUnsavedGuard } from '../../form/unsaved-guard.tsx'
import { prefetchWithin } from '../../lazy/prefetch.ts'
import { modifySubscription } from '../../routes/subscription.ts'
import { useScreenParams } from '../../screen/links.tsx'
import { requiredSession } from '../../session/session.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/overlay/dialog.tsx'
import { BillingScreen, type OfAccount, useGoToAccount } from './billing-page.tsx'
import { OrderForm, PaletteResults } from './order-form.tsx'
import { getCapacity, type Lines, useLines } from './order-lines.ts'
import { pricesQuery } from './queries.ts'
import { completePayment, forecast, order } from './submit-order.ts'

export const loader = (): Promise<unknown> =>
  prefetchWithin(() => Promise.all([queryClient.ensureQueryData(meQuery), queryClient.ensureQueryData(pricesQuery)]))

/** Changes the capacities of a paid subscription, or returns to the free plan. */
export const ModifySubscriptionPage = (): ReactNode => {
  const params = useScreenParams(modifySubscription)
  return (
    <BillingScreen
      screen={modifySubscription}
      params={params}
      description="Capacity of your account and its monthly cost."
      plan="paid"
    >
      {(me) => <PaletteResults>{(offers) => <Modify me={me} offers={offers} params={params} />}</PaletteResults>}
    </BillingScreen>
  )
}

const couldNotBeGranted =
  'The additional capacity you that you requested could not be granted due to a failure processing payment. Please configure a valid credit card for your account and the upgrade will be automatically processed'

interface ModifyProps {
  me: Me
  offers: readonly PricedProduct[]
  params: OfAccount
}

const Modify = ({ me, offers, params }: ModifyProps) => {
  const { account_sid } = params
  const lines = useLines(me, offers)
  const processing = useBlockingNotice()
  const goToAccount = useGoToAccount(params)
  const [returning, setReturning] = useState(false)
  const changes = [meQuery.queryKey, ['account', account_sid], ['invoice']]
  const products = [...lines.products]

  const review = useAction({ run: () => forecast(products) })
  const change = useAction({
    run: async () => {
      const outcome = await processing.during(() => order({ action: 'update-quantities', products }))
      // The reason is omitted, so that a payment error shows the message of this form.
      await completePayment({ ...outcome, reason: undefined }, account_sid, couldNotBeGranted)
    },
    done: () => 'Your subscription capacity has been successfully modified.',
    changes,
    after: goToAccount,
  })
  const goFree = useAction({
    run: async () => {
      const outcome = await processing.during(() => order({ action: 'downgrade-to-free' }))
      await completePayment(outcome, account_sid)
    },
    done: () => 'Downgrade to free plan completed successfully',
    changes,
    after: goToAccount,
  })
  const guard = useUnsavedGuard(lines.isChanged && !change.isSuccess && !goFree.isSuccess)

  return (
    <OrderForm
      label="Configure Your Subscription"
      me={me}
      params={params}
      lines={lines}
      error={change.error ?? review.error}
      busy={review.isPending || change.isPending || review.data !== undefined}
      blocked={lines.isChanged ? undefined : 'The capacity is unchanged.'}
      saveLabel="Review Changes"
      extra={
        !requiredSession().actor.is_view_only && <Button onClick={() => setReturning(true)}>Return to free plan</Button>
      }
      onSubmit={() => {
        change.reset()
        review.mutate(undefined)
      }}
    >
      {review.data && (
        <ConfirmDialog
          title="Confirm Changes"
          error={undefined}
          onCancel={() => review.reset()}
          onConfirm={() => {
            review.reset()
            change.mutate(undefined)
          }}
        >
          <Changes lines={lines} ratio={me.account.device_to_call_ratio ?? 0} costs={review.data} />
        </ConfirmDialog>
      )}
      {returning && (
        <ConfirmAction
          action={goFree}
          title="Return to Free Plan"
          confirmLabel="Return to free plan"
          onCancel={() => setReturning(false)}
        >
          <p>
            Your account goes back to the free plan, with {formatPlanCapacity(freePlanCapacity)}. This takes effect at
            the next billing cycle; until then you keep what you have paid for.
          </p>
        </ConfirmAction>
      )}
      {processing.notice}
      {guard}
    </OrderForm>
  )
}

const Prorated = ({ cents, currency }: { cents: number; currency: string }) => {
  if (cents > 0)
    return (
      <p>
        Your card will be charged <strong>{formatMoney(cents, currency)}</strong> now, for the rest of this billing
        period.
      </p>
    )
  if (cents < 0)
    return (
      <p>
        You will get a credit of <strong>{formatMoney(-cents, currency)}</strong> on your next invoice.
      </p>
    )
  return null
}

const Changes = ({ lines: { lines }, ratio, costs }: { lines: Lines; ratio: number; costs: BillingForecast }) => {
  const calls = getCapacity(lines, 'voice_call_session')
  const devices = computeDevices(ratio, calls, getCapacity(lines, 'device'))
  const { currency, prorated_cost, monthly_cost, next_invoice_date } = costs
  return (
    <>
      <p>Your account will have {formatPlanCapacity({ calls, devices })}.</p>
      <Prorated cents={prorated_cost} currency={currency} />
      <p>
        Your new monthly cost is <strong>{formatMoney(monthly_cost, currency)}</strong>, next charged on{' '}
        {next_invoice_date}.
      </p>
    </>
  )
}
