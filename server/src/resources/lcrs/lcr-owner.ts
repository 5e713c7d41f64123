import type { Actor, Owner } from '@patchbay/contract/api/access'
import { throwInvalid } from '@patchbay/contract/api/errors'
import { type OwnerInput, resolveOwner } from '../../auth/resolve-owner.ts'
import { lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import type { LockedLcr } from './lock-lcr.ts'

/**
 * Returns the owner of an outbound routing table: an account, a provider, or the platform. A row names only one of
 * them, because jambonz applies a row with a provider to the calls of all of its accounts. Only admins can choose or
 * change the owner.
 */
export const resolveLcrOwner = async (
  write: WriteTransaction,
  actor: Actor,
  requested: OwnerInput,
  current: LockedLcr | undefined,
): Promise<Owner> => {
  const { account_sid, service_provider_sid } = actor
  const isMoved = requested.account_sid !== undefined || requested.service_provider_sid !== undefined
  if (current && (actor.scope !== 'admin' || !isMoved)) return getLcrOwner(current)
  const resolved =
    actor.scope === 'admin'
      ? await resolveOwner(write.trx, actor, requested, current && getLcrOwner(current))
      : { account_sid, service_provider_sid }
  const owner = resolved.account_sid === null ? resolved : { ...resolved, service_provider_sid: null }
  if (!current || !isSameOwner(owner, getLcrOwner(current))) await checkHasNoTable(write, owner, current?.lcr_sid ?? '')
  return owner
}

/** Returns the owner of a stored table. Clients of jambonz store an empty string instead of a missing account. */
export const getLcrOwner = ({ account_sid, service_provider_sid }: Owner): Owner => ({
  account_sid: account_sid || null,
  service_provider_sid: service_provider_sid || null,
})

export const isSameOwner = (one: Owner, other: Owner): boolean =>
  one.account_sid === other.account_sid && one.service_provider_sid === other.service_provider_sid

const hasOtherTable = async (
  { trx, engine }: WriteTransaction,
  column: keyof Owner,
  sid: string,
  lcr_sid: string,
): Promise<boolean> => {
  const others = trx
    .selectFrom('lcr')
    .select('lcr_sid')
    .where(column, '=', sid)
    .where('lcr_sid', '!=', lcr_sid)
    .limit(1)
  return (await lockForUpdate(engine, others).executeTakeFirst()) !== undefined
}

/** Checks that the owner has no other table. The lock on the owner's row serializes concurrent creations. */
const checkHasNoTable = async (write: WriteTransaction, owner: Owner, lcr_sid: string): Promise<void> => {
  const { trx, engine } = write
  const { account_sid, service_provider_sid } = owner
  if (account_sid !== null) {
    const accounts = trx.selectFrom('accounts').select('name').where('account_sid', '=', account_sid)
    const account = await lockForUpdate(engine, accounts).executeTakeFirst()
    if (await hasOtherTable(write, 'account_sid', account_sid, lcr_sid))
      throwInvalid(`Account: ${account?.name}  already has an active call routing table.`, 'account_sid')
  } else if (service_provider_sid !== null) {
    const providers = trx
      .selectFrom('service_providers')
      .select('name')
      .where('service_provider_sid', '=', service_provider_sid)
    const provider = await lockForUpdate(engine, providers).executeTakeFirst()
    if (await hasOtherTable(write, 'service_provider_sid', service_provider_sid, lcr_sid))
      throwInvalid(
        `Service Provider: ${provider?.name} already has an active call routing table.`,
        'service_provider_sid',
      )
  }
}
