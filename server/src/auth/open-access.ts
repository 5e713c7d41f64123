import type { Owner } from '@patchbay/contract/api/access'
import { throwApiError } from '@patchbay/contract/api/errors'
import { parseIpAddress } from '@patchbay/rules/networks/ip-address'
import { trimPrivateNetworks } from '@patchbay/rules/networks/private-networks'
import type { Configuration } from '../config/configuration.ts'
import type { Database } from '../database/engine.ts'
import type { Caller } from '../lib/caller.ts'
import { isInNetworks, isNetwork, parseNetworks } from '../lib/ip-networks.ts'

/**
 * Access to the endpoints that the platform leaves open to everybody: without a token, only addresses of trusted
 * networks have access.
 */
export interface OpenRequest {
  actor: Caller | undefined
  address: string
  /** True if a proxy has forwarded the request. */
  isForwarded: boolean
}

const loopback = ['127.0.0.0/8', '::1/128']

/** An item of the stored list can also be a single address. */
const toNetworks = (list: string | null | undefined): string[] =>
  trimPrivateNetworks(list ?? '')
    .split(',')
    .map((item) => (item.includes('/') ? item : `${item}/32`))
    .filter(isNetwork)

/** Returns a function that checks a request to an open endpoint. */
export const createOpenAccess = ({
  configuration: { trustedNetworks, trustedProxies },
  database: { db },
}: {
  configuration: Pick<Configuration, 'trustedNetworks' | 'trustedProxies'>
  database: Pick<Database, 'db'>
}) => {
  const readNetworks = async (): Promise<readonly string[]> => {
    if (trustedNetworks !== null) return trustedNetworks
    const stored = await db.selectFrom('system_information').select('private_network_cidr').limit(1).executeTakeFirst()
    return [...loopback, ...toNetworks(stored?.private_network_cidr)]
  }

  const isTrusted = async ({ address, isForwarded }: OpenRequest): Promise<boolean> => {
    // The address is that of a proxy that is not configured, so the client is unknown.
    if (isForwarded && trustedProxies === 0) return false
    const ip = parseIpAddress(address)
    return ip !== undefined && isInNetworks(ip, parseNetworks(await readNetworks()))
  }

  /**
   * Checks that the request comes from a trusted network, or has a token with access.
   *
   * @param tenant whose data the endpoint returns, if it returns any
   * @throws ApiError `unauthorized` without a token, otherwise the reason why the caller has no access
   */
  return async (request: OpenRequest, tenant?: Owner): Promise<void> => {
    if (await isTrusted(request)) return
    const actor = request.actor ?? throwApiError('unauthorized')
    if (actor.must_change_password || actor.reset_link !== undefined) throwApiError('password_change_required')
    if (tenant === undefined && actor.is_view_only) throwApiError('view_only')
    const isOwn = actor.scope === 'admin' || tenant?.service_provider_sid === actor.service_provider_sid
    if (tenant !== undefined && !isOwn) throwApiError('insufficient_permissions')
  }
}
