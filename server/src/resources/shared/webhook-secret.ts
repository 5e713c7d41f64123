import { randomBytes } from 'node:crypto'

const alphabet = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

/** Random base-58 text; bytes that would favour some letters are thrown away. */
const base58 = (length: number): string => {
  let text = ''
  while (text.length < length) {
    const [byte = 255] = randomBytes(1)
    if (byte < 232) text += alphabet[byte % 58]
  }
  return text
}

/** The secret with which webhooks of an account are signed: wh_secret_ and 22 characters (api/1-identity.md §8.1). */
export const newWebhookSecret = (): string => `wh_secret_${base58(22)}`
