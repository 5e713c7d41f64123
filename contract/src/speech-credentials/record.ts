/**
 * `stored` is the length of the column with all of a vendor's members, encrypted; `member` is the length of each of
 * them.
 */
export const speechCredentialLengths = { vendor: 32, customName: 25, label: 64, member: 4000, stored: 8192 } as const
