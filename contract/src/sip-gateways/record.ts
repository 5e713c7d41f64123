export const gatewayLengths = { ipv4: 128 } as const
