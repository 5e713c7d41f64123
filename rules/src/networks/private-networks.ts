import { isIpv4, isIpv4Network } from '@patchbay/contract/shared/addresses'

/** Validation of the platform's list of private networks (SETTINGS-11). */

/**
 * Returns the list without blanks around its items. The platform's components do not trim, so it is stored this way.
 */
export const trimPrivateNetworks = (list: string): string =>
  list
    .split(',')
    .map((item) => item.trim())
    .join(',')

/**
 * Returns the first item of a comma-separated list that is neither an IPv4 address nor a CIDR (IPv4/0-32), or undefined
 * if all items are valid. An empty list is valid, and an empty item of a longer list is not.
 */
export const findInvalidPrivateNetwork = (list: string): string | undefined => {
  const trimmed = trimPrivateNetworks(list)
  return trimmed === '' ? undefined : trimmed.split(',').find((item) => !isIpv4(item) && !isIpv4Network(item))
}

/** Returns the error message for an invalid item of the list (SETTINGS-12). */
export const privateNetworkError = (item: string): string => `Invalid private network CIDR "${item}"`
