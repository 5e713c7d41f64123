import { randomUUID } from 'node:crypto'
import { setImmediate as others } from 'node:timers/promises'
import type { Actor, Owner } from '@patchbay/contract/api/access'
import { throwInvalid } from '@patchbay/contract/api/errors'
import { type Client, type ClientChange, client, type NewClient } from '@patchbay/contract/clients'
import { maskClientPassword } from '@patchbay/rules/masking/masking'
import { lockAccessibleRow } from '../../auth/owner-lookup.ts'
import { type AccountErrors, resolveAccount, selectAccount } from '../../auth/resolve-owner.ts'
import { preparedByScope } from '../../auth/visible-to.ts'
import { type Database, lockForUpdate } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { isUnchangedMask } from '../shared/masked-secrets.ts'

/**
 * SQL of SIP clients (docs/reference/platform-api/numbers-and-clients.md#sip-clients). Passwords are encrypted in the
 * database and masked in responses.
 */

/** Columns with the same names as in the API. */
const columns = client.keyof().options.map((column) => `clients.${column}` as const)

/** Number of passwords to decrypt, which takes a few milliseconds, before other requests run. */
const batchSize = 500

/** Returns null if there is no password or it cannot be decrypted. */
const decryptPassword = (stored: string | null, encryption: Encryption): string | null =>
  stored === null ? null : (encryption.decrypt(stored) ?? null)

export const createClientStore = ({ db, reader }: Database, encryption: Encryption) => {
  const one = prepared(db, (sid: string) =>
    db.selectFrom('clients').select(columns).where('clients.client_sid', '=', sid),
  )
  const ordered = () =>
    reader.selectFrom('clients').select(columns).orderBy('clients.username').orderBy('clients.client_sid')
  const findRows = preparedByScope(reader, {
    admin: ordered,
    service_provider: (sid) =>
      ordered()
        .innerJoin('accounts', 'accounts.account_sid', 'clients.account_sid')
        .where('accounts.service_provider_sid', '=', sid),
    account: (sid) => ordered().where('clients.account_sid', '=', sid),
  })

  const toClient = (row: Client): Client => {
    const password = decryptPassword(row.password, encryption)
    return { ...row, password: password && maskClientPassword(password) }
  }

  return {
    list: async (actor: Actor): Promise<Client[]> => {
      const all: Client[] = []
      for (const row of await findRows(actor)) {
        all.push(toClient(row))
        if (all.length % batchSize === 0) await others()
      }
      return all
    },
    read: async (client_sid: string): Promise<Client | undefined> => {
      const [row] = await one(client_sid)
      return row && toClient(row)
    },
  }
}

/** Locks an account, because no index prevents two of its clients from having the same name. */
const lockAccount = ({ trx, engine }: WriteTransaction, account_sid: string): Promise<Owner | undefined> =>
  lockForUpdate(engine, selectAccount(trx, account_sid)).executeTakeFirst()

/** The errors that the platform API prescribes (docs/reference/platform-api/numbers-and-clients.md#sip-clients). */
const accountErrors: AccountErrors = {
  missingMessage: 'missing field account_sid',
  forbiddenCode: 'insufficient_permissions',
}

/** Locks and returns the account that will own a client. */
const resolveClientAccount = async (write: WriteTransaction, actor: Actor, requested: string | undefined) => {
  const lock = (account_sid: string) => lockAccount(write, account_sid)
  return (await resolveAccount(actor, requested, lock, accountErrors)).account_sid
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

/** Returns the password to store. The mask of the stored password means no change. */
const resolvePassword = (
  password: string | null | undefined,
  stored: string | null,
  encryption: Encryption,
): string | null => {
  if (password === undefined) return stored
  if (!password) return null
  const isUnchanged = isUnchangedMask(password, decryptPassword(stored, encryption), 'password', maskClientPassword)
  return isUnchanged ? stored : encryption.encrypt(password)
}

export const createClient = async (
  write: WriteTransaction,
  actor: Actor,
  input: NewClient,
  encryption: Encryption,
): Promise<string> => {
  const account_sid = await resolveClientAccount(write, actor, input.account_sid)
  const { username } = input
  const client_sid = randomUUID()
  const after = { ...input, client_sid, account_sid, password: resolvePassword(input.password, null, encryption) }
  await checkUsername(write, after)
  await write.trx.insertInto('clients').values(after).execute()
  write.record({ action: 'create', kind: 'client', sid: client_sid, name: username, before: null, after })
  return client_sid
}

/** Locks a client for a change. Rejects if the actor has lost access since the request was authorized. */
const lockClient = async (write: WriteTransaction, actor: Actor, client_sid: string): Promise<Client> => {
  const rows = write.trx.selectFrom('clients').select(columns).where('client_sid', '=', client_sid)
  const find = ({ account_sid }: Client) => lockAccount(write, account_sid)
  return (await lockAccessibleRow(write, actor, rows, find, 'not_found')).row
}

export const changeClient = async (
  write: WriteTransaction,
  actor: Actor,
  client_sid: string,
  changes: ClientChange,
  encryption: Encryption,
): Promise<void> => {
  const before = await lockClient(write, actor, client_sid)
  const account_sid = changes.account_sid
    ? await resolveClientAccount(write, actor, changes.account_sid)
    : before.account_sid
  const { username = before.username } = changes
  const password = resolvePassword(changes.password, before.password, encryption)
  if (changes.username !== undefined || account_sid !== before.account_sid)
    await checkUsername(write, { client_sid, account_sid, username })
  const newValues = { ...changes, account_sid, password }
  await write.trx.updateTable('clients').set(newValues).where('client_sid', '=', client_sid).execute()
  const after = { ...before, ...newValues }
  write.record({ action: 'update', kind: 'client', sid: client_sid, name: username ?? '', before, after })
}

export const deleteClient = async (write: WriteTransaction, actor: Actor, client_sid: string): Promise<void> => {
  const before = await lockClient(write, actor, client_sid)
  await write.trx.deleteFrom('clients').where('client_sid', '=', client_sid).execute()
  write.record({ action: 'delete', kind: 'client', sid: client_sid, name: before.username ?? '', before, after: null })
}
