/** Addresses of the platform's own SBCs and SMPP servers. */
export const platformAddressLengths = { ipv4: 255 } as const
