import type { Owner } from '@patchbay/contract/api/access'
import { throwInvalid } from '@patchbay/contract/api/errors'
import { ownedCarriers, toOwner } from '../../auth/owner-lookup.ts'
import type { WriteTransaction } from '../../database/write-transaction.ts'

/**
 * Returns whether an owner may route calls over a carrier. Accounts may use their own carriers and the shared ones of
 * their provider, providers all of their own, and the platform any.
 */
const canUse =
  ({ account_sid, service_provider_sid }: Owner, providerOfAccount: string | null) =>
  (carrier: Owner): boolean => {
    const provider = carrier.service_provider_sid
    if (account_sid !== null)
      return (
        carrier.account_sid === account_sid ||
        (carrier.account_sid === null && provider !== null && provider === providerOfAccount)
      )
    return service_provider_sid === null || provider === service_provider_sid
  }

const findProvider = async ({ trx }: WriteTransaction, account_sid: string): Promise<string | null> => {
  const account = await trx
    .selectFrom('accounts')
    .select('service_provider_sid')
    .where('account_sid', '=', account_sid)
    .executeTakeFirst()
  return account?.service_provider_sid ?? null
}

/** Returns whether routes of an owner may use all of these carriers. Unknown carriers may not be used. */
export const canUseCarriers = async (
  write: WriteTransaction,
  owner: Owner,
  sids: readonly string[],
): Promise<boolean> => {
  const uniqueSids = [...new Set(sids)]
  if (uniqueSids.length === 0) return true
  const carriers = await ownedCarriers(write.trx).where('voip_carriers.voip_carrier_sid', 'in', uniqueSids).execute()
  const provider = owner.account_sid === null ? null : await findProvider(write, owner.account_sid)
  return carriers.map(toOwner).filter(canUse(owner, provider)).length === uniqueSids.length
}

/** Rejects carriers that the owner may not use, with the same error as for unknown ones. */
export const checkCarriers = async (write: WriteTransaction, owner: Owner, sids: readonly string[]): Promise<void> => {
  if (!(await canUseCarriers(write, owner, sids))) throwInvalid('unknown voip_carrier_sid', 'voip_carrier_sid')
}
