import { type Actor, type Owner, noOwner } from '@patchbay/contract/access'
import { throwInvalid } from '@patchbay/contract/errors'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'

/** The owner that a request body names. */
export interface OwnerInput {
  account_sid?: string | null | undefined
  service_provider_sid?: string | null | undefined
}

const findProvider = async (db: Kysely<Tables>, account_sid: string): Promise<string> => {
  const row = await db
    .selectFrom('accounts')
    .select('service_provider_sid')
    .where('account_sid', '=', account_sid)
    .executeTakeFirst()
  return row?.service_provider_sid ?? throwInvalid('unknown account_sid', 'account_sid')
}

const checkProvider = async (db: Kysely<Tables>, service_provider_sid: string): Promise<void> => {
  const row = await db
    .selectFrom('service_providers')
    .select('service_provider_sid')
    .where('service_provider_sid', '=', service_provider_sid)
    .executeTakeFirst()
  if (row === undefined) throwInvalid('unknown service_provider_sid', 'service_provider_sid')
}

/**
 * Returns the owner of a record that an account or a whole provider can own: for an account user the own account, for a
 * provider user the own provider or one of its accounts, and for an admin any owner or none. A record of an account
 * also belongs to the account's provider.
 * @param currentOwner the owner before the change, or none for a new record
 */
export const resolveOwner = async (
  db: Kysely<Tables>,
  actor: Actor,
  input: OwnerInput,
  currentOwner: Owner = noOwner,
): Promise<Owner> => {
  if (actor.scope === 'account')
    return { account_sid: actor.account_sid, service_provider_sid: actor.service_provider_sid }
  const account_sid = (input.account_sid === undefined ? currentOwner.account_sid : input.account_sid) || null
  const requestedProvider = input.service_provider_sid || null
  if (actor.scope === 'service_provider') {
    const { service_provider_sid } = actor
    if (requestedProvider !== null && requestedProvider !== service_provider_sid)
      return throwInvalid('service_provider_sid must be your own', 'service_provider_sid')
    if (account_sid !== null && (await findProvider(db, account_sid)) !== service_provider_sid)
      return throwInvalid('unknown account_sid', 'account_sid')
    return { account_sid, service_provider_sid }
  }
  if (account_sid === null) {
    if (requestedProvider !== null) await checkProvider(db, requestedProvider)
    return {
      account_sid,
      service_provider_sid:
        input.service_provider_sid === undefined ? currentOwner.service_provider_sid : requestedProvider,
    }
  }
  const service_provider_sid = await findProvider(db, account_sid)
  if (requestedProvider !== null && requestedProvider !== service_provider_sid)
    return throwInvalid('account_sid is not of this service provider', 'account_sid')
  return { account_sid, service_provider_sid }
}
