import type { DependentTable, RecordTable } from '../shared/record-table.ts'

export const billedCategories = ['voice_call_session', 'device'] as const
export type BilledCategory = (typeof billedCategories)[number]

/** The smallest and the largest quantity that an account can order. */
export const quantityRanges = {
  voice_call_session: { min: 5, max: 1000 },
  device: { min: 0, max: 200 },
} as const satisfies Record<BilledCategory, { min: number; max: number }>

export const accountSubscriptionTable = {
  table: 'account_subscriptions',
  key: 'account_subscription_sid',
  references: { account_sid: { to: 'accounts', onDelete: 'cascade' } },
} as const satisfies RecordTable

export const accountProductTable = {
  table: 'account_products',
  key: 'account_product_sid',
  references: {
    account_subscription_sid: { to: 'account_subscriptions', onDelete: 'cascade' },
    product_sid: { to: 'products', onDelete: 'block' },
  },
} as const satisfies RecordTable

export const accountOfferTable = {
  table: 'account_offers',
  key: 'account_offer_sid',
  references: {
    account_sid: { to: 'accounts', onDelete: 'cascade' },
    product_sid: { to: 'products', onDelete: 'block' },
  },
} as const satisfies RecordTable

export const accountStaticIpTable = {
  table: 'account_static_ips',
  key: 'account_static_ip_sid',
  name: 'public_ipv4',
  references: { account_sid: { to: 'accounts', onDelete: 'cascade' } },
} as const satisfies RecordTable

/** The state of the plan of an account at Stripe. */
export const billingTable = {
  table: 'patchbay_billing',
  references: { account_sid: { to: 'accounts', onDelete: 'cascade', withoutForeignKey: true } },
} as const satisfies DependentTable
