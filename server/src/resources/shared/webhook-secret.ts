import { randomBytes } from 'node:crypto'
import { throwApiError } from '@patchbay/contract/api/errors'
import type { Database } from '../../database/engine.ts'

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Generates random base58 text. Bytes that would bias the distribution are discarded. */
const base58 = (length: number): string => {
  let text = ''
  while (text.length < length) {
    const [byte = 255] = randomBytes(1)
    if (byte < 232) text += alphabet[byte % 58]
  }
  return text
}

/**
 * Generates the secret that signs the webhooks of an account: wh_secret_ and 22 characters
 * (docs/reference/platform-api/tenants.md#account-object).
 */
export const newWebhookSecret = (): string => `wh_secret_${base58(22)}`

export const readWebhookSecret = async ({ db }: Database, account_sid: string): Promise<string> => {
  const row = await db
    .selectFrom('accounts')
    .select('webhook_secret')
    .where('account_sid', '=', account_sid)
    .executeTakeFirst()
  return (row ?? throwApiError('not_found')).webhook_secret
}
