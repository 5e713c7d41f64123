import { throwInvalid } from '@patchbay/contract/api/errors'
import type { ReviewModel, ReviewModelChange } from '@patchbay/contract/review-model'
import { reviewModelLimits } from '@patchbay/contract/shared/review-limits'
import { toDayNumber } from '@patchbay/rules/calls/call-quality'
import { maskKey } from '@patchbay/rules/masking/masking'
import type { Kysely, Selectable } from 'kysely'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { lockProvider } from '../shared/lock-provider.ts'
import { isUnchangedMask } from '../shared/masked-secrets.ts'

/** Reads and changes the language model of a provider. */

type ModelRow = Selectable<Tables['patchbay_review_models']>

const noModel: Omit<ModelRow, 'service_provider_sid'> = {
  is_enabled: 0,
  url: '',
  model: '',
  api_key: null,
  instructions: '',
  is_automatic: 0,
  daily_limit: reviewModelLimits.defaultDailyLimit,
  used_on: 0,
  used: 0,
}

const readRow = async (db: Kysely<Tables>, service_provider_sid: string): Promise<ModelRow> => {
  const row = await db
    .selectFrom('patchbay_review_models')
    .selectAll()
    .where('service_provider_sid', '=', service_provider_sid)
    .executeTakeFirst()
  return row ?? { service_provider_sid, ...noModel }
}

const decryptKey = ({ api_key }: ModelRow, encryption: Encryption): string | null =>
  api_key === null ? null : (encryption.decrypt(api_key) ?? '')

const toMembers = (row: ModelRow, encryption: Encryption): Omit<ReviewModel, 'used_today'> => {
  const { is_enabled, url, model, instructions, is_automatic, daily_limit } = row
  const api_key = decryptKey(row, encryption)
  const masked = api_key === null ? null : maskKey(api_key)
  return { is_enabled, url, model, api_key: masked, instructions, is_automatic, daily_limit }
}

/** Returns the settings with a masked key. */
export const readReviewModel = async (
  db: Kysely<Tables>,
  encryption: Encryption,
  service_provider_sid: string,
  now: number,
): Promise<ReviewModel> => {
  const row = await readRow(db, service_provider_sid)
  return { ...toMembers(row, encryption), used_today: row.used_on === toDayNumber(now) ? row.used : 0 }
}

/** Returns the encrypted key to store. A key is never sent to another URL than the one that it was entered for. */
const toStoredKey = (row: ModelRow, change: ReviewModelChange, encryption: Encryption): string | null => {
  const { api_key, url = row.url } = change
  const stored = decryptKey(row, encryption)
  const isUnchanged = api_key === undefined || (api_key !== null && isUnchangedMask(api_key, stored, 'api_key'))
  if (!isUnchanged) return api_key === null || api_key === '' ? null : encryption.encrypt(api_key)
  if (row.api_key !== null && url !== row.url)
    throwInvalid('api_key must be entered again, because the URL has changed', 'api_key')
  return row.api_key
}

/** Updates the settings. */
export const changeReviewModel = async (
  write: WriteTransaction,
  encryption: Encryption,
  sid: string,
  change: ReviewModelChange,
): Promise<void> => {
  const { trx } = write
  const service_provider_sid = await lockProvider(write, sid)
  const row = await readRow(trx, service_provider_sid)
  const after: ModelRow = { ...row, ...change, api_key: toStoredKey(row, change, encryption) }
  if (after.is_enabled === 1) {
    if (after.url === '') throwInvalid('url is required', 'url')
    if (after.model.trim() === '') throwInvalid('model is required', 'model')
  }
  await trx.deleteFrom('patchbay_review_models').where('service_provider_sid', '=', service_provider_sid).execute()
  await trx.insertInto('patchbay_review_models').values(after).execute()
  write.record({
    action: 'update',
    kind: 'review_model',
    sid: service_provider_sid,
    owner: { account_sid: null, service_provider_sid },
    before: toMembers(row, encryption),
    after: toMembers(after, encryption),
  })
}
