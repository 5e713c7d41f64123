import type { Database } from '../../database/engine.ts'

/** The SIP realm of an account: null where it has none, undefined where there is no such account. */
export const realmOf = async ({ db }: Database, account_sid: string): Promise<string | null | undefined> => {
  const account = await db
    .selectFrom('accounts')
    .select('sip_realm')
    .where('account_sid', '=', account_sid)
    .executeTakeFirst()
  return account && account.sip_realm
}

/** What the client of that name may call; undefined where the account has none. */
export const clientFlags = ({ db }: Database, account_sid: string, username: string) =>
  db
    .selectFrom('clients')
    .select(['allow_direct_app_calling', 'allow_direct_queue_calling', 'allow_direct_user_calling'])
    .where('account_sid', '=', account_sid)
    .where('username', '=', username)
    .orderBy('client_sid')
    .executeTakeFirst()
