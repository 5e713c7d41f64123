import type { Me } from '@patchbay/contract/users'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { meQuery } from '../../api/shared-queries.ts'
import { FormLoading } from '../../form/form-loading.tsx'
import { editAccount } from '../../routes/accounts.ts'
import type { Screen, ScreenParams } from '../../routes/define-screen.ts'
import { managePayment, modifySubscription, upgradeSubscription } from '../../routes/subscription.ts'
import { ScreenLink, useNavigateTo } from '../../screen/links.tsx'
import { usePageTitle } from '../../screen/page-title.ts'
import { Banner } from '../../ui/banner.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { PageHeader } from '../../ui/page-header.tsx'

/** Elements that the billing screens share. */

export type OfAccount = ScreenParams<typeof editAccount.path>

export const CancelLink = ({ params }: { params: OfAccount }) => (
  <ScreenLink to={editAccount} params={params} className={buttonClass()}>
    Cancel
  </ScreenLink>
)

export const useGoToAccount = (params: OfAccount) => {
  const go = useNavigateTo()
  return () => go({ to: editAccount, params, ignoreBlocker: true })
}

/** Links to the right billing screen if the account has a plan that this screen is not for. */
const Elsewhere = ({
  to,
  label,
  params,
  children,
}: {
  to: Screen<`/internal/accounts/$account_sid/${string}`>
  label: string
  params: OfAccount
  children: string
}) => (
  <Banner
    action={
      <ScreenLink {...{ to, params }} className={buttonClass()}>
        {label}
      </ScreenLink>
    }
  >
    {children}
  </Banner>
)

interface BillingScreenProps {
  screen: Screen
  params: OfAccount
  description: string
  /** The plan for which this screen is available. */
  plan: 'paid' | 'unpaid' | 'any'
  children: (me: Me) => ReactNode
}

const Content = ({ params, plan, children, me }: BillingScreenProps & { me: Me }) => {
  const { account, subscription } = me
  if (account.account_sid !== params.account_sid)
    return <Banner>Only users of the account can manage its subscription. Sign in as one of them.</Banner>
  if (plan === 'any') return children(me)
  if (subscription?.status === 'suspended')
    return (
      <Elsewhere to={managePayment} params={params} label="Manage Payment Info">
        The last payment failed. Enter a valid card to pay the outstanding amount.
      </Elsewhere>
    )
  const isPaid = account.plan_type === 'paid'
  if (isPaid && plan === 'unpaid')
    return (
      <Elsewhere to={modifySubscription} params={params} label="Modify My Subscription">
        The account is already on the paid plan.
      </Elsewhere>
    )
  if (!isPaid && plan === 'paid')
    return (
      <Elsewhere to={upgradeSubscription} params={params} label="Upgrade to a Paid Subscription">
        The account has no paid subscription yet.
      </Elsewhere>
    )
  return children(me)
}

export const BillingScreen = (props: BillingScreenProps) => {
  const { screen, params, description } = props
  usePageTitle(screen.title)
  const me = useQuery(meQuery)
  return (
    <>
      <PageHeader
        title={screen.title}
        description={description}
        breadcrumb={
          <ScreenLink to={editAccount} params={params}>
            Account
          </ScreenLink>
        }
      />
      {me.data ? <Content {...props} me={me.data} /> : <FormLoading queries={[me]} sections={2} />}
    </>
  )
}
