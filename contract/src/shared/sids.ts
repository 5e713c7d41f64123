/** Identifiers of records (docs/reference/platform-api/conventions.md#value-types). The console needs no schema for them. */

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i

/** Returns whether a text is a SID: a UUID of any version, in upper or lower case. */
export const isSid = (text: string): boolean => uuid.test(text)
