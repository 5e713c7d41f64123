export const lcrRouteLengths = { regex: 32, description: 1024 } as const
