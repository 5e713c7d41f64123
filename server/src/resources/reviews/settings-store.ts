import type { ReviewSettings, ReviewSettingsChange } from '@patchbay/contract/review-settings'
import { readReviewSettings } from '../../call-data/reviews/review-items.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { lockProvider } from '../shared/lock-provider.ts'

/** Updates the criteria and rules of a provider. A provider without a row has the default ones. */
export const changeReviewSettings = async (
  write: WriteTransaction,
  sid: string,
  change: ReviewSettingsChange,
): Promise<void> => {
  const { trx } = write
  const service_provider_sid = await lockProvider(write, sid)
  const before = await readReviewSettings(trx, service_provider_sid)
  const after: ReviewSettings = {
    criteria: change.criteria ?? before.criteria,
    labels: change.labels ?? before.labels,
    slow_ms: change.slow_ms === undefined ? before.slow_ms : change.slow_ms,
    interrupted: change.interrupted ?? before.interrupted,
    failed: change.failed ?? before.failed,
    random_percent: change.random_percent ?? before.random_percent,
  }
  const lists = { criteria: JSON.stringify(after.criteria), labels: JSON.stringify(after.labels) }
  await trx.deleteFrom('patchbay_review_settings').where('service_provider_sid', '=', service_provider_sid).execute()
  await trx
    .insertInto('patchbay_review_settings')
    .values({ service_provider_sid, ...after, ...lists })
    .execute()
  write.record({
    action: 'update',
    kind: 'review_settings',
    sid: service_provider_sid,
    owner: { account_sid: null, service_provider_sid },
    before,
    after,
  })
}
