import type { Actor, Owner } from '@patchbay/contract/access'
import { throwInvalid } from '@patchbay/contract/errors'
import { lockForUpdate } from '../../database/engine.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { type OwnerInput, resolveOwner } from '../../auth/resolve-owner.ts'
import type { LockedLcr } from './lock-lcr.ts'

/**
 * To whom an outbound routing belongs: an account, a provider, or of an admin nobody. One of both alone: the platform
 * takes a row that names a provider for the calls of all its accounts. Whoever is no admin makes his own, which stays it.
 */
export const resolveLcrOwner = async (
  write: WriteTransaction,
  actor: Actor,
  sent: OwnerInput,
  now: LockedLcr | undefined,
): Promise<Owner> => {
  const { account_sid, service_provider_sid } = actor
  const isMoved = sent.account_sid !== undefined || sent.service_provider_sid !== undefined
  if (now && (actor.scope !== 'admin' || !isMoved)) return ownerOfLcr(now)
  const resolved =
    actor.scope === 'admin'
      ? await resolveOwner(write.trx, actor, sent, now && ownerOfLcr(now))
      : { account_sid, service_provider_sid }
  const owner = resolved.account_sid === null ? resolved : { ...resolved, service_provider_sid: null }
  if (!now || !isSameOwner(owner, ownerOfLcr(now))) await checkFree(write, owner, now?.lcr_sid ?? '')
  return owner
}

/** Clients of the platform store an empty text where there is no account. */
export const ownerOfLcr = ({ account_sid, service_provider_sid }: Owner): Owner => ({
  account_sid: account_sid || null,
  service_provider_sid: service_provider_sid || null,
})

export const isSameOwner = (one: Owner, other: Owner): boolean =>
  one.account_sid === other.account_sid && one.service_provider_sid === other.service_provider_sid

const isTaken = async (
  { trx, engine }: WriteTransaction,
  by: keyof Owner,
  sid: string,
  lcr_sid: string,
): Promise<boolean> => {
  const others = trx.selectFrom('lcr').select('lcr_sid').where(by, '=', sid).where('lcr_sid', '!=', lcr_sid).limit(1)
  return (await lockForUpdate(engine, others).executeTakeFirst()) !== undefined
}

/** Of two who make one at once the second waits for the row of its owner, and finds the first. */
const checkFree = async (write: WriteTransaction, owner: Owner, lcr_sid: string): Promise<void> => {
  const { trx, engine } = write
  const { account_sid, service_provider_sid } = owner
  if (account_sid !== null) {
    const accounts = trx.selectFrom('accounts').select('name').where('account_sid', '=', account_sid)
    const account = await lockForUpdate(engine, accounts).executeTakeFirst()
    if (await isTaken(write, 'account_sid', account_sid, lcr_sid))
      throwInvalid(`Account: ${account?.name}  already has an active call routing table.`, 'account_sid')
  } else if (service_provider_sid !== null) {
    const providers = trx
      .selectFrom('service_providers')
      .select('name')
      .where('service_provider_sid', '=', service_provider_sid)
    const provider = await lockForUpdate(engine, providers).executeTakeFirst()
    if (await isTaken(write, 'service_provider_sid', service_provider_sid, lcr_sid))
      throwInvalid(
        `Service Provider: ${provider?.name} already has an active call routing table.`,
        'service_provider_sid',
      )
  }
}
