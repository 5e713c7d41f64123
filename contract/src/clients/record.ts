/** `stored` is the column's length, because encryption makes passwords longer. */
export const clientLengths = { username: 64, password: 128, stored: 1024 } as const
