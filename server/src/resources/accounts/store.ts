import { randomUUID } from 'node:crypto'
import { type Account, type AccountChange, account, type NewAccount } from '@patchbay/contract/accounts'
import { type Actor, can } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import { maskKey, maskToken } from '@patchbay/rules/masking/masking'
import type { Kysely } from 'kysely'
import { isVisibleTo, visibleTo } from '../../auth/visible-to.ts'
import { type Database, lockForUpdate, sqlTime } from '../../database/engine.ts'
import { prepared } from '../../database/prepared-query.ts'
import type { Tables } from '../../database/tables.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Encryption } from '../../lib/encryption.ts'
import { isUnchangedMask } from '../shared/masked-secrets.ts'
import { newWebhookSecret } from '../shared/webhook-secret.ts'
import { deleteUnusedHooks, saveHook, toHook, withHooks } from '../shared/webhooks.ts'
import { encryptBucketCredential, toResponseCredential } from './bucket-credential.ts'

/** SQL of accounts (docs/reference/platform-api/tenants.md#accounts). */

/** Columns with the same names as in the API. */
const memberColumns = account
  .omit({ root_domain: true, registration_hook: true, queue_event_hook: true })
  .keyof().options

const selectAccounts = (db: Kysely<Tables>) =>
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

type AccountRow = Awaited<ReturnType<ReturnType<typeof selectAccounts>['executeTakeFirstOrThrow']>>

/** Converts an account. The signing secret is masked unless the actor may edit the account. */
const toAccount = (row: AccountRow, actor: Actor, encryption: Encryption): Account => {
  const { rh_url, rh_method, rh_username, rh_password, qh_url, qh_method, qh_username, qh_password, ...members } = row
  const canChange = can(actor, 'write', row)
  return {
    ...members,
    webhook_secret: canChange ? row.webhook_secret : maskToken(row.webhook_secret),
    subspace_client_secret: row.subspace_client_secret && maskKey(row.subspace_client_secret),
    bucket_credential: toResponseCredential(row.bucket_credential, encryption, canChange),
    registration_hook: toHook(
      { url: rh_url, method: rh_method, username: rh_username, password: rh_password },
      canChange,
    ),
    queue_event_hook: toHook(
      { url: qh_url, method: qh_method, username: qh_username, password: qh_password },
      canChange,
    ),
  }
}

export interface AccountStore {
  list(actor: Actor, service_provider_sid?: string): Promise<Account[]>
  read(actor: Actor, account_sid: string): Promise<Account | undefined>
  checkTaken(
    actor: Actor,
    values: { service_provider_sid?: string; name?: string; sip_realm?: string; except?: string },
  ): Promise<{ name: boolean; sip_realm: boolean }>
}

/** Prepared lists for each scope. */
const queries = (db: Kysely<Tables>) => {
  const ordered = () => selectAccounts(db).orderBy('accounts.name').orderBy('accounts.account_sid')
  return {
    all: prepared(db, () => ordered()),
    ofProvider: prepared(db, (sid: string) => ordered().where('accounts.service_provider_sid', '=', sid)),
    one: prepared(db, (sid: string) => ordered().where('accounts.account_sid', '=', sid)),
  }
}

export const createAccountStore = ({ db }: Database, encryption: Encryption): AccountStore => {
  const find = queries(db)

  /** Returns the accounts that the actor may see, of one provider if requested. */
  const findRows = (actor: Actor, provider: string | undefined): Promise<AccountRow[]> =>
    visibleTo(actor, {
      admin: () => (provider === undefined ? find.all() : find.ofProvider(provider)),
      service_provider: find.ofProvider,
      account: async (sid) =>
        (await find.one(sid)).filter(
          ({ service_provider_sid }) => provider === undefined || service_provider_sid === provider,
        ),
    })

  return {
    async list(actor, service_provider_sid) {
      return (await findRows(actor, service_provider_sid)).map((row) => toAccount(row, actor, encryption))
    },
    async read(actor, account_sid) {
      const [row] = await find.one(account_sid)
      return row && toAccount(row, actor, encryption)
    },
    async checkTaken(actor, { service_provider_sid, name, sip_realm, except }) {
      const visible = isVisibleTo(actor, {
        service_provider: 'accounts.service_provider_sid',
        account: 'accounts.account_sid',
      })
      const others = () => {
        const rows = db.selectFrom('accounts').select('accounts.account_sid').limit(1)
        // An account that the actor may not see is never excluded, because the result would reveal its name.
        return except
          ? rows.where((where) => where.not(where.and([where('accounts.account_sid', '=', except), visible])))
          : rows
      }
      // A realm is unique in the whole installation, so actors who may set one check all accounts. Names are checked
      // only among visible accounts.
      const realms = others().where('accounts.sip_realm', '=', sip_realm ?? '')
      const accountWithRealm = sip_realm
        ? await (actor.scope === 'account' ? realms.where(visible) : realms).executeTakeFirst()
        : undefined
      let accountsWithName = others()
        .where(visible)
        .where('accounts.name', '=', name ?? '')
      if (service_provider_sid)
        accountsWithName = accountsWithName.where('accounts.service_provider_sid', '=', service_provider_sid)
      const accountWithName = name ? await accountsWithName.executeTakeFirst() : undefined
      return { name: accountWithName !== undefined, sip_realm: accountWithRealm !== undefined }
    },
  }
}

const selectRow = (db: Kysely<Tables>, account_sid: string) =>
  db.selectFrom('accounts').selectAll().where('account_sid', '=', account_sid)

const readRow = async (db: Kysely<Tables>, account_sid: string) =>
  (await selectRow(db, account_sid).executeTakeFirst()) ?? throwApiError('not_found')

/**
 * Locks an account for a change. Two concurrent changes could otherwise each create a webhook, and one would remain
 * unused.
 */
export const lockRow = async ({ trx, engine }: WriteTransaction, account_sid: string) =>
  (await lockForUpdate(engine, selectRow(trx, account_sid)).executeTakeFirst()) ?? throwApiError('not_found')

type OwnColumns = Omit<AccountChange, 'registration_hook' | 'queue_event_hook' | 'bucket_credential'>

const toColumns = ({ trial_end_date, ...columns }: OwnColumns, engine: Database['engine']) => ({
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
    ...columns
  }: NewAccount & { service_provider_sid: string },
): Promise<string> => {
  const { trx } = write
  const account_sid = randomUUID()
  const registration = await saveHook(write, null, registration_hook)
  const queueEvent = await saveHook(write, null, queue_event_hook)
  const after = {
    ...toColumns(columns, engine),
    name: columns.name,
    service_provider_sid: columns.service_provider_sid,
    account_sid,
    webhook_secret: newWebhookSecret(),
    registration_hook_sid: registration.sid,
    queue_event_hook_sid: queueEvent.sid,
  }
  await checkApplications(write, account_sid, columns)
  await trx.insertInto('accounts').values(after).execute()
  const audited = await withHooks(write, after)
  write.record({ action: 'create', kind: 'account', sid: account_sid, before: null, after: audited })
  return account_sid
}

/**
 * Checks that an account refers only to its own applications, because other applications would reveal data of another
 * tenant.
 */
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
  { registration_hook, queue_event_hook, bucket_credential, ...columnChanges }: AccountChange,
): Promise<void> => {
  const { trx } = write
  const row = await lockRow(write, account_sid)
  const { subspace_client_secret: secret } = columnChanges
  if (secret && isUnchangedMask(secret, row.subspace_client_secret, 'subspace_client_secret'))
    delete columnChanges.subspace_client_secret
  const before = await withHooks(write, row)
  await checkApplications(write, account_sid, columnChanges)
  const hookChanges = { registration_hook, queue_event_hook }
  const hooks: { registration_hook_sid?: string | null; queue_event_hook_sid?: string | null } = {}
  const orphans: (string | null)[] = []
  for (const name of ['registration_hook', 'queue_event_hook'] as const) {
    const hook = hookChanges[name]
    if (hook === undefined) continue
    const { sid, orphan } = await saveHook(write, row[`${name}_sid`], hook)
    hooks[`${name}_sid`] = sid
    orphans.push(orphan)
  }
  const bucket =
    bucket_credential === undefined
      ? {}
      : { bucket_credential: encryptBucketCredential(bucket_credential, row.bucket_credential, encryption) }
  const columns = { ...toColumns(columnChanges, engine), ...hooks, ...bucket }
  if (Object.values(columns).some((value) => value !== undefined))
    await trx.updateTable('accounts').set(columns).where('account_sid', '=', account_sid).execute()
  await deleteUnusedHooks(write, orphans)
  const after = await withHooks(write, await readRow(trx, account_sid))
  write.record({ action: 'update', kind: 'account', sid: account_sid, before, after })
}

export const readBucketCredential = async ({ db }: Database, account_sid: string): Promise<string | null> =>
  (await readRow(db, account_sid)).bucket_credential

/** Reads the password hash and sign-in provider of a user. */
export const readPassword = ({ db }: Database, user_sid: string) =>
  db
    .selectFrom('users')
    .select(['user_sid', 'hashed_password', 'provider'])
    .where('user_sid', '=', user_sid)
    .executeTakeFirst()
