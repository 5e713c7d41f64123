/** As people read it. */
export const jsonOf = (value: unknown): string => JSON.stringify(value, null, 2)
