import { parseIpAddress } from '@patchbay/rules/networks/ip-address'
import { type IpNetwork, isInNetworks } from '../../lib/ip-networks.ts'

/**
 * Returns a function that tells whether an address belongs to the configured senders. IPv4-mapped addresses count as
 * their IPv4 address. Without a list it is always false.
 */
export const createSenderCheck =
  (senders: readonly IpNetwork[] = []) =>
  (address: string | undefined): boolean => {
    const parsed = address === undefined ? undefined : parseIpAddress(address)
    return parsed !== undefined && isInNetworks(parsed, senders)
  }
