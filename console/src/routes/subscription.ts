import { defineScreen } from './define-screen.ts'

export const upgradeSubscription = defineScreen({
  path: '/internal/accounts/$account_sid/subscription',
  title: 'Upgrade your Subscription',
  ownAccount: true,
})

export const modifySubscription = defineScreen({
  path: '/internal/accounts/$account_sid/modify-subscription',
  title: 'Configure Your Subscription',
  ownAccount: true,
})

export const managePayment = defineScreen({
  path: '/internal/accounts/$account_sid/manage-payment',
  title: 'Manage Payment Information',
  ownAccount: true,
})
