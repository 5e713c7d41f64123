import { defineScreen } from './define-screen.ts'

export const upgradeSubscription = defineScreen({
  path: '/internal/accounts/$account_sid/subscription',
  title: 'Upgrade your Subscription',
  load: () => import('../screens/subscription/upgrade.tsx'),
  ownAccount: true,
})

export const modifySubscription = defineScreen({
  path: '/internal/accounts/$account_sid/modify-subscription',
  title: 'Configure Your Subscription',
  load: () => import('../screens/subscription/modify.tsx'),
  ownAccount: true,
})

export const managePayment = defineScreen({
  path: '/internal/accounts/$account_sid/manage-payment',
  title: 'Manage Payment Information',
  load: () => import('../screens/subscription/manage-payment.tsx'),
  ownAccount: true,
})

export const subscriptionScreens = [upgradeSubscription, modifySubscription, managePayment]
