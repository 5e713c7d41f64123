import type { MaskingRules, MaskingRulesChange } from '@patchbay/contract/masking-rules'
import { throwApiError } from '@patchbay/contract/errors'
import { readProviderRules } from '../../call-data/masking/masking-rules.ts'
import { lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/** Updates the rules of a provider. A provider without a row has the default rules. */
export const changeMaskingRules = async (
  write: WriteTransaction,
  sid: string,
  change: MaskingRulesChange,
): Promise<void> => {
  const { trx, engine } = write
  const provider = trx
    .selectFrom('service_providers')
    .select('service_provider_sid')
    .where('service_provider_sid', '=', sid)
  // The row of the provider exists before the rules do, so its lock orders concurrent changes.
  const { service_provider_sid } =
    (await lockForUpdate(engine, provider).executeTakeFirst()) ?? throwApiError('not_found')
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
