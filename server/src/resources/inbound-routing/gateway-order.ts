import { isIpv4 } from '@patchbay/contract/shared/addresses'
import ipaddr from 'ipaddr.js'
import type { InboundGateway } from './inbound-model.ts'

/** Finds the gateways that contain a source address, in the order in which the SBC considers them. Pure. */

/**
 * Returns whether a network, such as `10.0.0.0` with 24 bits, contains an address. Always false for gateways with a
 * domain name.
 */
export const cidrContains = ({ ipv4, netmask }: { ipv4: string; netmask: number }, address: string): boolean =>
  isIpv4(ipv4) && isIpv4(address) && ipaddr.IPv4.parse(address).match(ipaddr.IPv4.parse(ipv4), netmask)

/** Keeps the first gateway of each carrier. */
export const uniqueByCarrier = (gateways: readonly InboundGateway[]): InboundGateway[] =>
  [...new Map(gateways.toReversed().map((gateway) => [gateway.voip_carrier_sid, gateway])).values()].toReversed()

/** Returns whether a carrier belongs to an account, and not to all accounts of a provider. */
export const isOfAccount = ({ carrier }: InboundGateway): boolean => carrier.account_sid !== null

/** Orders gateways as the SBC does: the narrowest network first. The database decides between equal ones. */
const byNetmask = (one: InboundGateway, other: InboundGateway): number => other.netmask - one.netmask

const byOwner = (one: InboundGateway, other: InboundGateway): number =>
  Number(isOfAccount(other)) - Number(isOfAccount(one))

/** Returns whether another carrier could be the first one, because nothing orders them. */
export const isFirstByChance = (
  gateways: readonly InboundGateway[],
  order: (one: InboundGateway, other: InboundGateway) => number,
): boolean => {
  const [first] = gateways
  if (first === undefined) return false
  return uniqueByCarrier(gateways.filter((one) => order(first, one) === 0)).length > 1
}

/** Orders gateways of equal networks: those of an account precede those of its provider. */
export const byNetmaskAndOwner = (one: InboundGateway, other: InboundGateway): number =>
  byNetmask(one, other) || byOwner(one, other)

/** Orders exact addresses of an account before others. Networks are ordered by their netmask alone. */
export const byAddress = (one: InboundGateway, other: InboundGateway): number =>
  byNetmask(one, other) || (one.netmask === 32 ? byOwner(one, other) : 0)
