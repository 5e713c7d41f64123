import { createHash } from 'node:crypto'

/** Returns the hexadecimal SHA-256 of a text. Used in place of secrets and personal data that must not be stored. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
