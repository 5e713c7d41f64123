import type { Database } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'

/** Whose secret signs what a webhook is sent (api/1-identity.md §8.8). */
export const createSigners = ({ db }: Database) => {
  const accounts = prepared(db, (sid: string) =>
    db
      .selectFrom('accounts')
      .select(['account_sid', 'service_provider_sid', 'webhook_secret'])
      .where('account_sid', '=', sid),
  )
  return async (account_sid: string) => (await accounts(account_sid))[0]
}
