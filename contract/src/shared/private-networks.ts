import { isIpv4 } from './addresses.ts'

/** The list of private networks of the platform (spec 0 §5, console.md B.8). */

const isNetwork = (item: string): boolean => {
  const [address = '', bits = '32', ...more] = item.split('/')
  return isIpv4(address) && /^(?:3[0-2]|[12]?\d)$/.test(bits) && more.length === 0
}

/**
 * The first item of a comma-separated list that is neither an IPv4 address nor IPv4/0-32; undefined where all are.
 * Items are taken as they stand, blanks and all, since that is how the platform's components read them; empty ones are
 * passed over.
 */
export const badPrivateNetwork = (list: string): string | undefined =>
  list.split(',').find((item) => item !== '' && !isNetwork(item))

export const privateNetworkError = (item: string): string => `Invalid private network CIDR "${item}"`
