import { isIpv4, isIpv4Network } from './addresses.ts'

/** Validation of the platform's list of private networks (SETTINGS-11). */

/**
 * Returns the first item of a comma-separated list that is neither an IPv4 address nor a CIDR (IPv4/0-32), or undefined
 * if all items are valid. Does not trim blanks, because the platform's components do not trim them. Ignores empty
 * items.
 */
export const findInvalidPrivateNetwork = (list: string): string | undefined =>
  list.split(',').find((item) => item !== '' && !isIpv4(item) && !isIpv4Network(item))

/** Returns the error message for an invalid item of the list (SETTINGS-12). */
export const privateNetworkError = (item: string): string => `Invalid private network CIDR "${item}"`
