const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const ipv4 = new RegExp(`^${octet}(?:\\.${octet}){3}$`)

/** Dotted, without a netmask. */
export const isIpv4 = (text: string): boolean => ipv4.test(text)
