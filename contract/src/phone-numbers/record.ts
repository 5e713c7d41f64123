export const phoneNumberLengths = { number: 132 } as const
