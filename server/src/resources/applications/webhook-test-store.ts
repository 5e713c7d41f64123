import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'

/**
 * Creates a reader for the accounts whose secret signs webhook requests
 * (docs/reference/platform-api/tenants.md#webhook-secret).
 */
export const createSigningAccountReader = ({ db }: Database) => {
  const accounts = prepared(db, (sid: string) =>
    db
      .selectFrom('accounts')
      .select(['account_sid', 'service_provider_sid', 'webhook_secret'])
      .where('account_sid', '=', sid),
  )
  return async (account_sid: string) => (await accounts(account_sid))[0]
}
