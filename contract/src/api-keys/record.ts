export const apiKeyLengths = { name: 64 } as const
