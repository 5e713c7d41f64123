import type { Actor } from '@patchbay/contract/access'
import type { Database } from '../../database/engine.ts'
import type { Registrations } from '../../adapters/registrations/registrations.ts'

/** The SIP realm of an account: null where it has none, undefined where there is no such account. */
export const findRealm = async ({ db }: Database, account_sid: string): Promise<string | null | undefined> => {
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

/** The clients that can register at all, of those that the actor may see. */
const clientsWithRealm = ({ reader }: Database, { scope, account_sid, service_provider_sid }: Actor) => {
  const all = reader
    .selectFrom('clients')
    .innerJoin('accounts', 'accounts.account_sid', 'clients.account_sid')
    .select(['clients.client_sid', 'clients.username', 'accounts.sip_realm'])
    .where('accounts.sip_realm', 'is not', null)
    .where('clients.username', 'is not', null)
    .$narrowType<{ username: string; sip_realm: string }>()
  switch (scope) {
    case 'admin':
      return all
    case 'service_provider':
      return all.where('accounts.service_provider_sid', '=', service_provider_sid)
    case 'account':
      return all.where('clients.account_sid', '=', account_sid)
  }
}

/** The sids of those clients, of all that the actor may see, under whose names a device is registered. */
export const registeredClients = async (
  database: Database,
  registrations: Registrations,
  actor: Actor,
): Promise<string[]> => {
  const byRealm = new Map<string, { client_sid: string; username: string }[]>()
  for (const { sip_realm, ...client } of await clientsWithRealm(database, actor).execute()) {
    const known = byRealm.get(sip_realm)
    if (known) known.push(client)
    else byRealm.set(sip_realm, [client])
  }
  const registered: string[] = []
  for (const [realm, clients] of byRealm) {
    const names = clients.map(({ username }) => username)
    const found = await registrations.find(realm, names)
    for (const [at, { client_sid }] of clients.entries()) if (found[at]) registered.push(client_sid)
  }
  return registered
}
