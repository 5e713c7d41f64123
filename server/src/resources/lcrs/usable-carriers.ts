import type { Owner } from '@patchbay/contract/access'
import { invalid } from '@patchbay/contract/errors'
import type { Write } from '../../database/write.ts'

interface CarrierOwner {
  account_sid: string | null
  own_provider: string | null
  provider_of_account: string | null
}

/** An account routes over its own and its provider's for all, a provider over all of its own, the platform over any. */
const mayUse =
  ({ account_sid, service_provider_sid }: Owner, providerOfAccount: string | null) =>
  (carrier: CarrierOwner): boolean => {
    const provider = carrier.provider_of_account ?? carrier.own_provider
    if (account_sid !== null)
      return (
        carrier.account_sid === account_sid ||
        (carrier.account_sid === null && provider !== null && provider === providerOfAccount)
      )
    return service_provider_sid === null || provider === service_provider_sid
  }

const providerOf = async ({ trx }: Write, account_sid: string): Promise<string | null> => {
  const account = await trx
    .selectFrom('accounts')
    .select('service_provider_sid')
    .where('account_sid', '=', account_sid)
    .executeTakeFirst()
  return account?.service_provider_sid ?? null
}

/** Whether outbound routing of this owner may use all of these carriers; one that does not exist it may not. */
export const mayUseCarriers = async (write: Write, owner: Owner, sids: readonly string[]): Promise<boolean> => {
  const wanted = [...new Set(sids)]
  if (wanted.length === 0) return true
  const carriers = await write.trx
    .selectFrom('voip_carriers')
    .leftJoin('accounts', 'accounts.account_sid', 'voip_carriers.account_sid')
    .select(['voip_carriers.account_sid', 'voip_carriers.service_provider_sid as own_provider'])
    .select('accounts.service_provider_sid as provider_of_account')
    .where('voip_carriers.voip_carrier_sid', 'in', wanted)
    .execute()
  const provider = owner.account_sid === null ? null : await providerOf(write, owner.account_sid)
  return carriers.filter(mayUse(owner, provider)).length === wanted.length
}

/** What is of others and what does not exist look alike. */
export const checkCarriers = async (write: Write, owner: Owner, sids: readonly string[]): Promise<void> => {
  if (!(await mayUseCarriers(write, owner, sids))) invalid('unknown voip_carrier_sid', 'voip_carrier_sid')
}
