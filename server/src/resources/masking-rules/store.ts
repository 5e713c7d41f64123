import type { MaskingRules, MaskingRulesChange } from '@patchbay/contract/masking-rules'
import { readProviderRules } from '../../call-data/masking/masking-rules.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { lockProvider } from '../shared/lock-provider.ts'

/** Updates the rules of a provider. A provider without a row has the default rules. */
export const changeMaskingRules = async (
  write: WriteTransaction,
  sid: string,
  change: MaskingRulesChange,
): Promise<void> => {
  const { trx } = write
  const service_provider_sid = await lockProvider(write, sid)
  const before = await readProviderRules(trx, service_provider_sid)
  const after: MaskingRules = {
    card_numbers: change.card_numbers ?? before.card_numbers,
    pressed_digits: change.pressed_digits ?? before.pressed_digits,
    patterns: change.patterns ?? before.patterns,
    mute_recordings: change.mute_recordings ?? before.mute_recordings,
  }
  const row = { service_provider_sid, ...after, patterns: JSON.stringify(after.patterns) }
  await trx.deleteFrom('patchbay_masking_rules').where('service_provider_sid', '=', service_provider_sid).execute()
  await trx.insertInto('patchbay_masking_rules').values(row).execute()
  write.record({
    action: 'update',
    kind: 'masking_rules',
    sid: service_provider_sid,
    owner: { account_sid: null, service_provider_sid },
    before,
    after,
  })
}
