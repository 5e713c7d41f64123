import type { accountEndpoints } from '@patchbay/contract/accounts'
import type { Actor, Owner } from '@patchbay/contract/api/access'
import { throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import { getContents } from '@patchbay/contract/api/record-tables'
import type { BucketCredentialIn, BucketTestOutcome } from '@patchbay/contract/recording-storage'
import { tryBucket } from '../../adapters/object-storage/test-bucket.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { Handlers } from '../../http/contract-router.ts'
import { createdSid, ok, okOrNotFound } from '../../http/responses.ts'
import type { Caller } from '../../lib/caller.ts'
import type { Services } from '../services.ts'
import { createReferenceCounter } from '../shared/references.ts'
import { rejectIfReferenced } from '../shared/reject-if-referenced.ts'
import { countForTenant } from '../shared/tenant-quota.ts'
import { readUsedElsewhere } from '../shared/used-elsewhere.ts'
import { newWebhookSecret, readWebhookSecret } from '../shared/webhook-secret.ts'
import { resolveCredential } from './bucket-credential.ts'
import { deleteAccount } from './delete-account.ts'
import { createBlockersReader, rejectIfBlocked } from './deletion-blockers.ts'
import { changeAccount, createAccount, createAccountStore, readBucketCredential, readPassword } from './store.ts'

/** Maximum name checks per minute. Enough for people who fill in a form, but too few to enumerate names. */
export const maxNameChecksPerMinute = 60

/**
 * Maximum storage tests per minute of an account, and of all accounts of a provider. Each test sends requests to a host
 * that the tenant chose.
 */
export const maxBucketTestsPerMinute = { account: 10, provider: 30 }

export const accountRoutes = ({
  billing,
  configuration,
  passwordAttempts,
  database,
  write,
  encryption,
  owners,
  sessions,
  rates,
  objectStorage,
  recordings,
  backgroundTasks,
  missingSchema,
}: Services): Handlers<keyof typeof accountEndpoints> => {
  const accounts = createAccountStore(database, encryption)
  const readContents = createReferenceCounter(database.db, getContents('accounts'))
  const readBlockers = createBlockersReader(database.reader)
  const secrets = { engine: database.engine, encryption }

  /** Returns the provider of a new account. Only admins can choose it. */
  const resolveProvider = async (actor: Actor, requested: string | null | undefined): Promise<string> => {
    if (actor.scope === 'service_provider')
      return actor.service_provider_sid ?? throwApiError('insufficient_permissions')
    if (!requested) return throwInvalid('missing field service_provider_sid', 'service_provider_sid')
    if ((await owners.service_provider(requested)) === undefined)
      return throwInvalid(`service_provider not found for sid ${requested}`, 'service_provider_sid')
    return requested
  }

  /**
   * Counts a name check of the tenant, because a tenant can create any number of keys. Admins can list all accounts
   * anyway.
   */
  const countNameCheck = async (actor: Actor): Promise<void> => {
    if (actor.scope === 'admin') return
    const tenant = actor.account_sid ?? actor.service_provider_sid
    const { count } = await rates.hit(`accounts-taken:${tenant}`, 60_000)
    if (count > maxNameChecksPerMinute) throwApiError('too_many_requests')
  }

  /**
   * Tests a storage within the limits of its owner.
   * @param stored the stored credential, whose secrets replace masked ones
   */
  const testBucket = async (
    owner: Owner,
    credential: BucketCredentialIn,
    stored: string | null,
    signal: AbortSignal,
  ): Promise<BucketTestOutcome> => {
    if (credential.vendor === 'none') return { status: 'failed', reason: 'Does not support test for none' }
    const resolved = resolveCredential(credential, stored, encryption)
    await countForTenant(rates, 'bucket-tests', maxBucketTestsPerMinute, owner)
    return tryBucket(objectStorage, owner.account_sid ?? owner.service_provider_sid ?? '', resolved, signal)
  }

  /** Runs a change and rolls it back, to find out whether it would fail. */
  const dryRun = async (actor: Caller, work: (tx: WriteTransaction) => Promise<void>): Promise<void> => {
    const rollback = new Error('dry run')
    const attempt = write(actor, async (tx) => {
      await work(tx)
      throw rollback
    })
    await attempt.catch((error: unknown) => {
      if (error !== rollback) throw error
    })
  }

  /**
   * Requires the password of users who delete their own hosted account, unless they sign in with an external provider.
   * Returns whether the password was checked.
   */
  const checkOwner = async (
    actor: Actor,
    password: string | undefined,
    requester: { address: string; signal: AbortSignal },
  ): Promise<boolean> => {
    const { user_sid } = actor
    if (user_sid === null) return throwApiError('insufficient_permissions')
    const user = await readPassword(database, user_sid)
    if (user?.provider !== 'local') return false
    if (!password) return throwApiError('password_wrong')
    const attempt = { find: () => Promise.resolve(user), name: user_sid, password, ...requester }
    if ((await passwordAttempts.verify(attempt)) === undefined) return throwApiError('password_wrong')
    return true
  }

  return {
    'GET /Accounts': async ({ actor }) => ok(await accounts.list(actor)),

    'GET /ServiceProviders/:service_provider_sid/Accounts': async ({ actor, params }) =>
      ok(await accounts.list(actor, params.service_provider_sid)),

    'POST /Accounts': async ({ actor, body }) => {
      const service_provider_sid = await resolveProvider(actor, body.service_provider_sid)
      const account = { ...body, service_provider_sid }
      return createdSid(write(actor, (tx) => createAccount(tx, database.engine, account)))
    },

    'GET /patchbay/accounts/taken': async ({ actor, query }) => {
      await countNameCheck(actor)
      return ok(await accounts.checkTaken(actor, query))
    },

    'GET /Accounts/:account_sid': ({ actor, params }) => okOrNotFound(accounts.read(actor, params.account_sid)),

    'PUT /Accounts/:account_sid': async ({ actor, params: { account_sid }, body }) => {
      checkReserved(actor, body, (await accounts.read(actor, account_sid)) ?? throwApiError('not_found'))
      await write(actor, (tx) => changeAccount(tx, secrets, account_sid, body))
    },

    'DELETE /Accounts/:account_sid': async ({ actor, params: { account_sid }, body, address, signal }) => {
      // Users of a suspended account can delete nothing else, and no call uses what it contains.
      let canCascade = actor.scope !== 'account' || actor.is_suspended === true
      if (configuration.hosting !== null && actor.scope === 'account') {
        const isConfirmed = await checkOwner(actor, body?.password, { address, signal })
        canCascade ||= isConfirmed
      }
      // Rejects a password that would not be checked.
      else if (body?.password !== undefined) throwInvalid('unknown field password', 'password')
      const remove = async (tx: WriteTransaction) => {
        if (!canCascade) await rejectIfBlocked(tx, account_sid)
        const { users } = await rejectIfReferenced(() => deleteAccount(tx, account_sid))
        for (const user_sid of users) await sessions.endAll(user_sid, { trx: tx.trx })
      }
      // The subscription must end before the account is deleted, and must not end if the deletion would fail.
      if (billing) await dryRun(actor, remove)
      // Only the deletion itself completes the step of a bulk change. Closing can be repeated if it does not follow.
      const { bulkStep: _step, ...author } = actor
      await billing?.close(account_sid, author)
      await write(actor, remove)
      backgroundTasks.begin('recordings of a deleted account could not be removed', () =>
        recordings.deleteFiles(account_sid),
      )
    },

    'GET /patchbay/accounts/:account_sid/contents': async ({ actor, params }) => {
      if (actor.is_view_only) throwApiError('view_only')
      return ok((await readContents(params.account_sid)) ?? throwApiError('not_found'))
    },

    'POST /Accounts/:account_sid/BucketCredentialTest': async ({ params: { account_sid }, body, signal }) => {
      const account = (await owners.account(account_sid)) ?? throwApiError('not_found')
      return ok(
        await testBucket({ ...account, account_sid }, body, await readBucketCredential(database, account_sid), signal),
      )
    },

    'POST /patchbay/service-providers/:service_provider_sid/bucket-credential-test': async ({ params, body, signal }) =>
      ok(await testBucket({ account_sid: null, ...params }, body, null, signal)),

    'GET /patchbay/accounts/:account_sid/blockers': async ({ actor, params }) => {
      if (actor.is_view_only) throwApiError('view_only')
      return ok(await readBlockers(params.account_sid))
    },

    'GET /patchbay/accounts/:account_sid/used-elsewhere': async ({ actor, params }) => {
      if (actor.is_view_only) throwApiError('view_only')
      return ok(await readUsedElsewhere(database.reader, { kind: 'account', sid: params.account_sid }, missingSchema))
    },

    'GET /Accounts/:account_sid/WebhookSecret': async ({ actor, params: { account_sid }, query }) => {
      if (query.regenerate === 'true') {
        const webhook_secret = newWebhookSecret()
        await write(actor, (tx) => changeAccount(tx, secrets, account_sid, { webhook_secret }))
        return ok({ webhook_secret })
      }
      if (actor.is_view_only) throwApiError('view_only')
      return ok({ webhook_secret: await readWebhookSecret(database, account_sid) })
    },
  }
}

/** Fields that users and keys of an account may not change. Sending the current value is allowed. */
const operatorFields = [
  'sip_realm',
  'plan_type',
  'is_active',
  'disable_cdrs',
  'trial_end_date',
  'deactivated_reason',
  'device_to_call_ratio',
] as const

const checkReserved = (
  actor: Actor,
  change: Readonly<Record<string, unknown>>,
  current: Readonly<Record<string, unknown>>,
): void => {
  if (actor.scope !== 'account') return
  for (const field of operatorFields) {
    const requested = change[field]
    if (requested === undefined || requested === current[field]) continue
    if (field === 'sip_realm') {
      // Clearing the realm is allowed. jambonz may have stored the realm with capital letters.
      if (requested === null || requested === String(current[field]).toLowerCase()) continue
      // The message is the same as in the API of jambonz, but with the path that exists here
      // (docs/reference/platform-api/tenants.md#update-an-account).
      throwInvalid('use POST /Accounts/:sid/SipRealms/:realm to set or change the sip realm', field)
    }
    throwInvalid(`${field} may only be changed by the service provider`, field)
  }
}
