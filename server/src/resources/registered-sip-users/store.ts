import type { Actor } from '@patchbay/contract/api/access'
import type { Registrations } from '../../adapters/registrations/registrations.ts'
import { isVisibleTo } from '../../auth/visible-to.ts'
import type { Database } from '../../database/engine.ts'

/** Returns the SIP realm of an account, null if it has no realm, or undefined if the account does not exist. */
export const findRealm = async ({ db }: Database, account_sid: string): Promise<string | null | undefined> => {
  const account = await db
    .selectFrom('accounts')
    .select('sip_realm')
    .where('account_sid', '=', account_sid)
    .executeTakeFirst()
  return account && account.sip_realm
}

/** Returns the call permissions of a client, or undefined if the account has no client with this name. */
export const readClientFlags = ({ db }: Database, account_sid: string, username: string) =>
  db
    .selectFrom('clients')
    .select(['allow_direct_app_calling', 'allow_direct_queue_calling', 'allow_direct_user_calling'])
    .where('account_sid', '=', account_sid)
    .where('username', '=', username)
    .orderBy('client_sid')
    .executeTakeFirst()

/** Selects the clients that the actor may see and whose account has a SIP realm. Other clients cannot register. */
const selectClientsWithRealm = ({ reader }: Database, actor: Actor) =>
  reader
    .selectFrom('clients')
    .innerJoin('accounts', 'accounts.account_sid', 'clients.account_sid')
    .select(['clients.client_sid', 'clients.username', 'accounts.sip_realm'])
    .where('accounts.sip_realm', 'is not', null)
    .where('clients.username', 'is not', null)
    .where(isVisibleTo(actor, { service_provider: 'accounts.service_provider_sid', account: 'clients.account_sid' }))
    .$narrowType<{ username: string; sip_realm: string }>()

/** Returns the sids of the clients that the actor may see and that are registered. */
export const findRegisteredClients = async (
  database: Database,
  registrations: Registrations,
  actor: Actor,
): Promise<string[]> => {
  const byRealm = new Map<string, { client_sid: string; username: string }[]>()
  for (const { sip_realm, ...client } of await selectClientsWithRealm(database, actor).execute()) {
    const realmClients = byRealm.get(sip_realm)
    if (realmClients) realmClients.push(client)
    else byRealm.set(sip_realm, [client])
  }
  const registered: string[] = []
  for (const [realm, clients] of byRealm) {
    const names = clients.map(({ username }) => username)
    const registrationsByIndex = await registrations.find(realm, names)
    for (const [at, { client_sid }] of clients.entries()) if (registrationsByIndex[at]) registered.push(client_sid)
  }
  return registered
}
