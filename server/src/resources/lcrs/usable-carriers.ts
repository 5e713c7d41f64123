import type { Owner } from '@patchbay/contract/access'
import { throwInvalid } from '@patchbay/contract/errors'
import type { WriteTransaction } from '../../database/write-transaction.ts'
import { ownedCarriers, toOwner } from '../../auth/owner-lookup.ts'

/** An account routes over its own and its provider's for all, a provider over all of its own, the platform over any. */
const mayUse =
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

const providerOf = async ({ trx }: WriteTransaction, account_sid: string): Promise<string | null> => {
  const account = await trx
    .selectFrom('accounts')
    .select('service_provider_sid')
    .where('account_sid', '=', account_sid)
    .executeTakeFirst()
  return account?.service_provider_sid ?? null
}

/** Whether outbound routing of this owner may use all of these carriers; one that does not exist it may not. */
export const canUseCarriers = async (
  write: WriteTransaction,
  owner: Owner,
  sids: readonly string[],
): Promise<boolean> => {
  const wanted = [...new Set(sids)]
  if (wanted.length === 0) return true
  const carriers = await ownedCarriers(write.trx).where('voip_carriers.voip_carrier_sid', 'in', wanted).execute()
  const provider = owner.account_sid === null ? null : await providerOf(write, owner.account_sid)
  return carriers.map(toOwner).filter(mayUse(owner, provider)).length === wanted.length
}

/** What is of others and what does not exist look alike. */
export const checkCarriers = async (write: WriteTransaction, owner: Owner, sids: readonly string[]): Promise<void> => {
  if (!(await canUseCarriers(write, owner, sids))) throwInvalid('unknown voip_carrier_sid', 'voip_carrier_sid')
}
