/** `types` is the number of types. */
export const alertDestinationLengths = { name: 64, target: 1024, type: 64, types: 50, link: 128 } as const
