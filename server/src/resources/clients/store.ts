import { type Actor, can } from '@patchbay/contract/access'
import { client, type Client, type ClientChange, type NewClient } from '@patchbay/contract/clients'
import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import { maskPassword } from '@patchbay/contract/shared/masking'
import type { Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import { setImmediate as others } from 'node:timers/promises'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { isUnchangedMask } from '../shared/masked-secrets.ts'

/** All SQL of SIP clients (api/2-telephony.md §12, §16). Their passwords are encrypted in the column, masked on the wire. */

/** Answered as members of the same name. */
const columns = client.keyof().options.map((column) => `clients.${column}` as const)

/** The lists of each scope, compiled once. */
const queries = (db: Kysely<Tables>) => {
  const ordered = () =>
    db.selectFrom('clients').select(columns).orderBy('clients.username').orderBy('clients.client_sid')
  return {
    all: prepared(db, () => ordered()),
    ofProvider: prepared(db, (sid: string) =>
      ordered()
        .innerJoin('accounts', 'accounts.account_sid', 'clients.account_sid')
        .where('accounts.service_provider_sid', '=', sid),
    ),
    ofAccount: prepared(db, (sid: string) => ordered().where('clients.account_sid', '=', sid)),
    one: prepared(db, (sid: string) => ordered().where('clients.client_sid', '=', sid)),
  }
}

/** So many passwords are decrypted, some milliseconds' work, before others have their turn. */
const batchSize = 500

/** null for none and for one that cannot be read */
const plainPassword = (stored: string | null, encryption: Encryption): string | null =>
  stored === null ? null : (encryption.decrypt(stored) ?? null)

export const createClientStore = ({ db, reader }: Database, encryption: Encryption) => {
  const { one } = queries(db)
  const find = queries(reader)

  const shown = (row: Client): Client => {
    const password = plainPassword(row.password, encryption)
    return { ...row, password: password && maskPassword(password) }
  }

  const rowsFor = ({ scope, account_sid, service_provider_sid }: Actor): Promise<Client[]> => {
    switch (scope) {
      case 'admin':
        return find.all()
      case 'service_provider':
        return find.ofProvider(service_provider_sid ?? '')
      case 'account':
        return find.ofAccount(account_sid ?? '')
    }
  }

  return {
    list: async (actor: Actor): Promise<Client[]> => {
      const all: Client[] = []
      for (const row of await rowsFor(actor)) {
        all.push(shown(row))
        if (all.length % batchSize === 0) await others()
      }
      return all
    },
    read: async (client_sid: string): Promise<Client | undefined> => {
      const [row] = await one(client_sid)
      return row && shown(row)
    },
  }
}

/** One writer of an account's clients at a time, as no index keeps their names apart; undefined where it is not the actor's. */
const lockAccount = async (
  { trx, engine }: WriteTransaction,
  actor: Actor,
  account_sid: string,
): Promise<string | undefined> => {
  const rows = trx.selectFrom('accounts').select(['account_sid', 'service_provider_sid'])
  const account = await lockForUpdate(engine, rows.where('account_sid', '=', account_sid)).executeTakeFirst()
  return account && can(actor, 'write', account) ? account.account_sid : undefined
}

/** The account that a client is to be of: an account user's own, whatever is sent. */
const accountFor = async (write: WriteTransaction, actor: Actor, sent: string | undefined): Promise<string> => {
  const account_sid = actor.scope === 'account' ? actor.account_sid : sent
  if (!account_sid) return throwInvalid('missing field account_sid', 'account_sid')
  const account = await lockAccount(write, actor, account_sid)
  if (account !== undefined) return account
  return actor.scope === 'admin'
    ? throwInvalid('unknown account_sid', 'account_sid')
    : throwApiError('insufficient_permissions')
}

const checkUsername = async (
  { trx }: WriteTransaction,
  { client_sid, account_sid, username }: Pick<Client, 'client_sid' | 'account_sid' | 'username'>,
): Promise<void> => {
  if (username === null) return
  const taken = await trx
    .selectFrom('clients')
    .select('client_sid')
    .where('account_sid', '=', account_sid)
    .where('username', '=', username)
    .where('client_sid', '<>', client_sid)
    .limit(1)
    .executeTakeFirst()
  if (taken) throwInvalid("the client's username already exists", 'username')
}

/** What goes into the column; a mask that comes back means what stands there. */
const storedPassword = (
  sent: string | null | undefined,
  stored: string | null,
  encryption: Encryption,
): string | null => {
  if (sent === undefined) return stored
  if (!sent) return null
  const isStored = isUnchangedMask(sent, plainPassword(stored, encryption), 'password', maskPassword)
  return isStored ? stored : encryption.encrypt(sent)
}

export const createClient = async (
  write: WriteTransaction,
  actor: Actor,
  sent: NewClient,
  encryption: Encryption,
): Promise<string> => {
  const account_sid = await accountFor(write, actor, sent.account_sid)
  const { username } = sent
  const client_sid = randomUUID()
  const after = { ...sent, client_sid, account_sid, password: storedPassword(sent.password, null, encryption) }
  await checkUsername(write, after)
  await write.trx.insertInto('clients').values(after).execute()
  write.record({ action: 'create', kind: 'client', sid: client_sid, name: username, before: null, after })
  return client_sid
}

/** One change of a client at a time; who has lost it since the request was let in changes nothing. */
const lockClient = async (write: WriteTransaction, actor: Actor, client_sid: string): Promise<Client> => {
  const { trx, engine } = write
  const rows = trx.selectFrom('clients').select(columns).where('client_sid', '=', client_sid)
  const row = await lockForUpdate(engine, rows).executeTakeFirst()
  return row && (await lockAccount(write, actor, row.account_sid)) ? row : throwApiError('not_found')
}

export const changeClient = async (
  write: WriteTransaction,
  actor: Actor,
  client_sid: string,
  sent: ClientChange,
  encryption: Encryption,
): Promise<void> => {
  const before = await lockClient(write, actor, client_sid)
  const account_sid = sent.account_sid ? await accountFor(write, actor, sent.account_sid) : before.account_sid
  const { username = before.username } = sent
  const password = storedPassword(sent.password, before.password, encryption)
  if (sent.username !== undefined || account_sid !== before.account_sid)
    await checkUsername(write, { client_sid, account_sid, username })
  const changed = { ...sent, account_sid, password }
  await write.trx.updateTable('clients').set(changed).where('client_sid', '=', client_sid).execute()
  const after = { ...before, ...changed }
  write.record({ action: 'update', kind: 'client', sid: client_sid, name: username ?? '', before, after })
}

export const deleteClient = async (write: WriteTransaction, actor: Actor, client_sid: string): Promise<void> => {
  const before = await lockClient(write, actor, client_sid)
  await write.trx.deleteFrom('clients').where('client_sid', '=', client_sid).execute()
  write.record({ action: 'delete', kind: 'client', sid: client_sid, name: before.username ?? '', before, after: null })
}
