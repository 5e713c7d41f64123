/** Conversion of IP addresses between bytes and text (RFC 5952). */

const splitGroups = (text: string): string[] => (text === '' ? [] : text.split(':'))

/** Formats an address of 4 or 16 bytes. */
export const formatAddress = (bytes: Buffer): string => {
  if (bytes.length === 4) return bytes.join('.')
  const groups = Array.from({ length: 8 }, (_, at) => bytes.readUInt16BE(2 * at).toString(16))
  return new URL(`http://[${groups.join(':')}]`).hostname.slice(1, -1)
}

/** Parses an address that `formatAddress` returned. */
export const parseAddress = (text: string): Buffer => {
  if (!text.includes(':')) return Buffer.from(text.split('.').map(Number))
  const [head = '', tail = ''] = text.split('::')
  const [first, last] = [splitGroups(head), splitGroups(tail)]
  const zeros = Array.from({ length: 8 - first.length - last.length }, () => '0')
  return Buffer.from([...first, ...zeros, ...last].map((group) => group.padStart(4, '0')).join(''), 'hex')
}
