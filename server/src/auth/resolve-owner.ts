import type { Actor, Owner } from '@patchbay/contract/access'
import { throwInvalid } from '@patchbay/contract/errors'
import type { Kysely } from 'kysely'
import type { Tables } from '../database/tables.ts'

/** What a body says of whom a thing is to belong to. */
export interface OwnerInput {
  account_sid?: string | null | undefined
  service_provider_sid?: string | null | undefined
}

const noOwner: Owner = { account_sid: null, service_provider_sid: null }

const providerOf = async (db: Kysely<Tables>, account_sid: string): Promise<string> => {
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
 * To whom a thing belongs that an account or a whole provider may have: an account user's to the own account, a
 * provider user's to the own provider or one of its accounts, an admin's to whomever is named, nobody included. What is
 * of an account is of its provider, too. `now` is where it is, of a new one nowhere.
 */
export const resolveOwner = async (
  db: Kysely<Tables>,
  actor: Actor,
  sent: OwnerInput,
  now: Owner = noOwner,
): Promise<Owner> => {
  if (actor.scope === 'account')
    return { account_sid: actor.account_sid, service_provider_sid: actor.service_provider_sid }
  const account_sid = (sent.account_sid === undefined ? now.account_sid : sent.account_sid) || null
  const named = sent.service_provider_sid || null
  if (actor.scope === 'service_provider') {
    const { service_provider_sid } = actor
    if (named !== null && named !== service_provider_sid)
      return throwInvalid('service_provider_sid must be your own', 'service_provider_sid')
    if (account_sid !== null && (await providerOf(db, account_sid)) !== service_provider_sid)
      return throwInvalid('unknown account_sid', 'account_sid')
    return { account_sid, service_provider_sid }
  }
  if (account_sid === null) {
    if (named !== null) await checkProvider(db, named)
    return {
      account_sid,
      service_provider_sid: sent.service_provider_sid === undefined ? now.service_provider_sid : named,
    }
  }
  const service_provider_sid = await providerOf(db, account_sid)
  if (named !== null && named !== service_provider_sid)
    return throwInvalid('account_sid is not of this service provider', 'account_sid')
  return { account_sid, service_provider_sid }
}
