/** The list of private networks of the platform (spec 0 §5, console.md B.8). */

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const network = new RegExp(`^${octet}(?:\\.${octet}){3}(?:/(?:3[0-2]|[12]?\\d))?$`)

/**
 * The first item of a comma-separated list that is neither an IPv4 address nor IPv4/0-32; undefined where all are.
 * Items are taken as they stand, blanks and all, since that is how the platform's components read them; empty ones are
 * passed over.
 */
export const badPrivateNetwork = (list: string): string | undefined =>
  list.split(',').find((item) => item !== '' && !network.test(item))

export const privateNetworkFault = (item: string): string => `Invalid private network CIDR "${item}"`
