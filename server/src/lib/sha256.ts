import { createHash } from 'node:crypto'

/** Hex of the UTF-8 of a text: what stands for a secret, or for somebody, where the text itself must not. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
