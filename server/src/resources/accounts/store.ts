import { type Actor, can } from '@patchbay/contract/access'
import { type Account, account, type AccountChange, type NewAccount } from '@patchbay/contract/accounts'
import { throwInvalid, throwApiError } from '@patchbay/contract/errors'
import { maskToken } from '@patchbay/contract/shared/masking'
import type { ExpressionBuilder, Kysely } from 'kysely'
import { randomUUID } from 'node:crypto'
import { type Database, lockForUpdate, sqlTime } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { newWebhookSecret } from '../shared/webhook-secret.ts'
import { deleteUnusedHooks, toHook, saveHook, withHooks } from '../shared/webhooks.ts'
import { toResponseCredential, storedBucketCredential } from './bucket-credential.ts'

/** All SQL of accounts (api/1-identity.md §8, §16). */

/** Answered as members of the same name. */
const memberColumns = account
  .omit({ root_domain: true, registration_hook: true, queue_event_hook: true })
  .keyof().options

const accountRows = (db: Kysely<Tables>) =>
  db
    .selectFrom('accounts')
    .innerJoin('service_providers', 'service_providers.service_provider_sid', 'accounts.service_provider_sid')
    .leftJoin('webhooks as rh', 'rh.webhook_sid', 'accounts.registration_hook_sid')
    .leftJoin('webhooks as qh', 'qh.webhook_sid', 'accounts.queue_event_hook_sid')
    .select(memberColumns.map((column) => `accounts.${column}` as const))
    .select([
      'service_providers.root_domain',
      'rh.url as rh_url',
      'rh.method as rh_method',
      'rh.username as rh_username',
      'rh.password as rh_password',
      'qh.url as qh_url',
      'qh.method as qh_method',
      'qh.username as qh_username',
      'qh.password as qh_password',
    ])

type AccountRow = Awaited<ReturnType<ReturnType<typeof accountRows>['executeTakeFirstOrThrow']>>

/** The signing secret is whole for those who may edit the account, masked for the others. */
const shown = (row: AccountRow, actor: Actor, encryption: Encryption): Account => {
  const { rh_url, rh_method, rh_username, rh_password, qh_url, qh_method, qh_username, qh_password, ...members } = row
  const mayChange = can(actor, 'write', row)
  return {
    ...members,
    webhook_secret: mayChange ? row.webhook_secret : maskToken(row.webhook_secret),
    bucket_credential: toResponseCredential(row.bucket_credential, encryption, mayChange),
    registration_hook: toHook(
      { url: rh_url, method: rh_method, username: rh_username, password: rh_password },
      mayChange,
    ),
    queue_event_hook: toHook(
      { url: qh_url, method: qh_method, username: qh_username, password: qh_password },
      mayChange,
    ),
  }
}

/** Only what the actor may see: the narrowing of every list of accounts. */
const visibleTo = (actor: Actor) => (where: ExpressionBuilder<Tables, 'accounts'>) => {
  switch (actor.scope) {
    case 'admin':
      return where.lit(true)
    case 'service_provider':
      return where('accounts.service_provider_sid', '=', actor.service_provider_sid ?? '')
    case 'account':
      return where('accounts.account_sid', '=', actor.account_sid ?? '')
  }
}

export interface AccountStore {
  list(actor: Actor, service_provider_sid?: string): Promise<Account[]>
  read(actor: Actor, account_sid: string): Promise<Account | undefined>
  taken(
    actor: Actor,
    wanted: { service_provider_sid?: string; name?: string; sip_realm?: string; except?: string },
  ): Promise<{ name: boolean; sip_realm: boolean }>
}

/** The lists of each scope, compiled once. */
const queries = (db: Kysely<Tables>) => {
  const ordered = () => accountRows(db).orderBy('accounts.name').orderBy('accounts.account_sid')
  return {
    all: prepared(db, () => ordered()),
    ofProvider: prepared(db, (sid: string) => ordered().where('accounts.service_provider_sid', '=', sid)),
    one: prepared(db, (sid: string) => ordered().where('accounts.account_sid', '=', sid)),
  }
}

export const createAccountStore = ({ db }: Database, encryption: Encryption): AccountStore => {
  const find = queries(db)

  /** Only what the actor may see, and of that only what is of the provider where one is named. */
  const listed = async (actor: Actor, provider: string | undefined): Promise<AccountRow[]> => {
    switch (actor.scope) {
      case 'admin':
        return provider === undefined ? find.all() : find.ofProvider(provider)
      case 'service_provider':
        return find.ofProvider(actor.service_provider_sid ?? '')
      case 'account': {
        const rows = await find.one(actor.account_sid ?? '')
        return rows.filter(({ service_provider_sid }) => provider === undefined || service_provider_sid === provider)
      }
    }
  }

  return {
    async list(actor, service_provider_sid) {
      return (await listed(actor, service_provider_sid)).map((row) => shown(row, actor, encryption))
    },
    async read(actor, account_sid) {
      const [row] = await find.one(account_sid)
      return row && shown(row, actor, encryption)
    },
    async taken(actor, { service_provider_sid, name, sip_realm, except }) {
      const visible = visibleTo(actor)
      const others = () => {
        const rows = db.selectFrom('accounts').select('accounts.account_sid').limit(1)
        // Leaving out an account that one may not see would tell what it is called.
        return except
          ? rows.where((where) => where.not(where.and([where('accounts.account_sid', '=', except), visible(where)])))
          : rows
      }
      // A realm is unique on the whole platform, so who may set one asks of all; a name only within what is seen.
      const realms = others().where('accounts.sip_realm', '=', sip_realm ?? '')
      const ofRealm = sip_realm
        ? await (actor.scope === 'account' ? realms.where(visible) : realms).executeTakeFirst()
        : undefined
      let named = others()
        .where(visible)
        .where('accounts.name', '=', name ?? '')
      if (service_provider_sid) named = named.where('accounts.service_provider_sid', '=', service_provider_sid)
      const ofName = name ? await named.executeTakeFirst() : undefined
      return { name: ofName !== undefined, sip_realm: ofRealm !== undefined }
    },
  }
}

const rowsOf = (db: Kysely<Tables>, account_sid: string) =>
  db.selectFrom('accounts').selectAll().where('account_sid', '=', account_sid)

const rowOf = async (db: Kysely<Tables>, account_sid: string) =>
  (await rowsOf(db, account_sid).executeTakeFirst()) ?? throwApiError('not_found')

/** One change of an account at a time: of two that make its webhook, one would be left behind. */
export const lockRow = async ({ trx, engine }: WriteTransaction, account_sid: string) =>
  (await lockForUpdate(engine, rowsOf(trx, account_sid)).executeTakeFirst()) ?? throwApiError('not_found')

type OwnColumns = Omit<
  AccountChange,
  'registration_hook' | 'queue_event_hook' | 'service_provider_sid' | 'bucket_credential'
>

const columnsOf = ({ trial_end_date, ...columns }: OwnColumns, engine: Database['engine']) => ({
  ...columns,
  ...(trial_end_date === undefined
    ? {}
    : { trial_end_date: trial_end_date === null ? null : sqlTime(engine, new Date(trial_end_date)) }),
})

export const createAccount = async (
  write: WriteTransaction,
  engine: Database['engine'],
  {
    webhook_secret: _ignored,
    registration_hook = null,
    queue_event_hook = null,
    ...given
  }: NewAccount & { service_provider_sid: string },
): Promise<string> => {
  const { trx } = write
  const account_sid = randomUUID()
  const registration = await saveHook(write, null, registration_hook)
  const queueEvent = await saveHook(write, null, queue_event_hook)
  const after = {
    ...columnsOf(given, engine),
    name: given.name,
    service_provider_sid: given.service_provider_sid,
    account_sid,
    webhook_secret: newWebhookSecret(),
    registration_hook_sid: registration.sid,
    queue_event_hook_sid: queueEvent.sid,
  }
  await checkApplications(write, account_sid, given)
  await trx.insertInto('accounts').values(after).execute()
  const told = await withHooks(write, after)
  write.record({ action: 'create', kind: 'account', sid: account_sid, before: null, after: told })
  return account_sid
}

/** An account may only use its own applications: pointing at another's would read across the wall. */
const checkApplications = async (
  { trx, engine }: WriteTransaction,
  account_sid: string,
  change: AccountChange,
): Promise<void> => {
  for (const field of ['device_calling_application_sid', 'siprec_hook_sid'] as const) {
    const application_sid = change[field]
    if (!application_sid) continue
    const rows = trx
      .selectFrom('applications')
      .select('application_sid')
      .where('application_sid', '=', application_sid)
      .where('account_sid', '=', account_sid)
    if ((await lockForUpdate(engine, rows).executeTakeFirst()) === undefined)
      throwInvalid(`${field} must be an application of this account`, field)
  }
}

export const changeAccount = async (
  write: WriteTransaction,
  { engine, encryption }: { engine: Database['engine']; encryption: Encryption },
  account_sid: string,
  { registration_hook, queue_event_hook, bucket_credential, ...given }: Omit<AccountChange, 'service_provider_sid'>,
): Promise<void> => {
  const { trx } = write
  const row = await lockRow(write, account_sid)
  const before = await withHooks(write, row)
  await checkApplications(write, account_sid, given)
  const sent = { registration_hook, queue_event_hook }
  const hooks: { registration_hook_sid?: string | null; queue_event_hook_sid?: string | null } = {}
  const orphans: (string | null)[] = []
  for (const name of ['registration_hook', 'queue_event_hook'] as const) {
    const hook = sent[name]
    if (hook === undefined) continue
    const { sid, orphan } = await saveHook(write, row[`${name}_sid`], hook)
    hooks[`${name}_sid`] = sid
    orphans.push(orphan)
  }
  const bucket =
    bucket_credential === undefined
      ? {}
      : { bucket_credential: storedBucketCredential(bucket_credential, row.bucket_credential, encryption) }
  const columns = { ...columnsOf(given, engine), ...hooks, ...bucket }
  if (Object.values(columns).some((value) => value !== undefined))
    await trx.updateTable('accounts').set(columns).where('account_sid', '=', account_sid).execute()
  await deleteUnusedHooks(write, orphans)
  const after = await withHooks(write, await rowOf(trx, account_sid))
  write.record({ action: 'update', kind: 'account', sid: account_sid, before, after })
}

export const readBucketCredential = async ({ db }: Database, account_sid: string): Promise<string | null> =>
  (await rowOf(db, account_sid)).bucket_credential

export const readWebhookSecret = async ({ db }: Database, account_sid: string): Promise<string> =>
  (await rowOf(db, account_sid)).webhook_secret

/** How a user signs in. */
export const readPassword = ({ db }: Database, user_sid: string) =>
  db
    .selectFrom('users')
    .select(['user_sid', 'hashed_password', 'provider'])
    .where('user_sid', '=', user_sid)
    .executeTakeFirst()
