import type { DependentTable } from '../shared/record-table.ts'

export const reviewModelTable = {
  table: 'patchbay_review_models',
  references: {
    service_provider_sid: { to: 'service_providers', onDelete: 'cascade', withoutForeignKey: true },
  },
} as const satisfies DependentTable

/** Checks by the model that an account has used. */
export const modelCheckCountTable = {
  table: 'patchbay_model_check_counts',
  references: { account_sid: { to: 'accounts', onDelete: 'cascade', withoutForeignKey: true } },
} as const satisfies DependentTable
