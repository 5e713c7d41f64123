import { type Actor, can, noOwner, type Owner } from '@patchbay/contract/api/access'
import { type ApiErrorCode, throwApiError, throwInvalid } from '@patchbay/contract/api/errors'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'

/** The owner that a request body names. */
export interface OwnerInput {
  account_sid?: string | null | undefined
  service_provider_sid?: string | null | undefined
}

/** Errors for an owner that does not exist, or that the caller cannot choose. */
export interface OwnerErrors {
  unknownAccount: () => never
  unknownProvider: () => never
  /** The account belongs to another provider than the one that the request names. */
  wrongProvider: () => never
}

const defaultErrors: OwnerErrors = {
  unknownAccount: () => throwInvalid('unknown account_sid', 'account_sid'),
  unknownProvider: () => throwInvalid('unknown service_provider_sid', 'service_provider_sid'),
  wrongProvider: () => throwInvalid('account_sid is not of this service provider', 'account_sid'),
}

/** Selects the owner that an account is for its records. */
export const selectAccount = (db: Kysely<Tables>, account_sid: string) =>
  db.selectFrom('accounts').select(['account_sid', 'service_provider_sid']).where('account_sid', '=', account_sid)

const findProvider = async (db: Kysely<Tables>, account_sid: string): Promise<string | undefined> =>
  (await selectAccount(db, account_sid).executeTakeFirst())?.service_provider_sid

const isProvider = async (db: Kysely<Tables>, service_provider_sid: string): Promise<boolean> => {
  const row = await db
    .selectFrom('service_providers')
    .select('service_provider_sid')
    .where('service_provider_sid', '=', service_provider_sid)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Returns the owner of a record that an account or a whole provider can own: for an account user the own account, for a
 * provider user the own provider or one of its accounts, and for an admin any owner or none. A record of an account
 * also belongs to the account's provider.
 * @param currentOwner the owner before the change, or none for a new record
 * @param errors what to throw instead of the usual errors
 * @throws ApiError `invalid`, or what `errors` throws, if the owner does not exist or the caller cannot choose it
 */
export const resolveOwner = async (
  db: Kysely<Tables>,
  actor: Actor,
  input: OwnerInput,
  currentOwner: Owner = noOwner,
  errors: Partial<OwnerErrors> = {},
): Promise<Owner> => {
  const { unknownAccount, unknownProvider, wrongProvider } = { ...defaultErrors, ...errors }
  if (actor.scope === 'account')
    return { account_sid: actor.account_sid, service_provider_sid: actor.service_provider_sid }
  const account_sid = (input.account_sid === undefined ? currentOwner.account_sid : input.account_sid) || null
  const requestedProvider = input.service_provider_sid || null
  if (actor.scope === 'service_provider') {
    const { service_provider_sid } = actor
    if (requestedProvider !== null && requestedProvider !== service_provider_sid)
      return throwInvalid('service_provider_sid must be your own', 'service_provider_sid')
    if (account_sid !== null && (await findProvider(db, account_sid)) !== service_provider_sid) return unknownAccount()
    return { account_sid, service_provider_sid }
  }
  if (account_sid === null) {
    if (requestedProvider !== null && !(await isProvider(db, requestedProvider))) return unknownProvider()
    return {
      account_sid,
      service_provider_sid:
        input.service_provider_sid === undefined ? currentOwner.service_provider_sid : requestedProvider,
    }
  }
  const service_provider_sid = (await findProvider(db, account_sid)) ?? unknownAccount()
  if (requestedProvider !== null && requestedProvider !== service_provider_sid) return wrongProvider()
  return { account_sid, service_provider_sid }
}

/** Errors that the platform API prescribes for a wrong account. They differ between resources. */
export interface AccountErrors {
  /** Message if the request names no account. */
  missingMessage: string
  /** For callers who cannot tell whether the account exists. */
  forbiddenCode: ApiErrorCode
}

/**
 * Returns the account that owns a record which only accounts can own: for an account user the own account, for others
 * the requested one.
 * @param find reads the account, and locks it if the caller of this function needs that
 * @throws ApiError `invalid` if the account is missing or, for an admin, does not exist, and otherwise `forbiddenCode`
 */
export const resolveAccount = async (
  actor: Actor,
  requested: string | null | undefined,
  find: (account_sid: string) => Promise<Owner | undefined>,
  { missingMessage, forbiddenCode }: AccountErrors,
): Promise<Owner & { account_sid: string }> => {
  const account_sid = actor.scope === 'account' ? actor.account_sid : requested
  if (!account_sid) return throwInvalid(missingMessage, 'account_sid')
  const account = await find(account_sid)
  if (account !== undefined && can(actor, 'write', account)) return { ...account, account_sid }
  return actor.scope === 'admin' ? defaultErrors.unknownAccount() : throwApiError(forbiddenCode)
}
