export const lcrLengths = { name: 64 } as const
