import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'

/**
 * Encrypts stored secrets in the format of jambonz (docs/reference/platform-api/database.md#encryption): AES-256-CBC,
 * or CTR if jambonz is configured for its older format. The key consists of the first 32 characters of
 * base64(SHA-256(secret)). Values are stored as JSON {iv, content} in hex, each with a new IV.
 */
export interface Encryption {
  encrypt(plaintext: string): string
  /** Returns undefined if the text is not a value in this format. */
  decrypt(stored: string): string | undefined
}

const storedValue = z.object({ iv: z.string().regex(/^[0-9a-f]{32}$/i), content: z.string().regex(/^[0-9a-f]*$/i) })

/** Returns whether a text has the format of encrypted values. */
export const isEncryptedText = (stored: string): boolean => {
  try {
    return storedValue.safeParse(JSON.parse(stored)).success
  } catch {
    return false
  }
}

export const createEncryption = (secret: string, { legacy }: { legacy: boolean }): Encryption => {
  const algorithm = legacy ? 'aes-256-ctr' : 'aes-256-cbc'
  const key = createHash('sha256').update(secret).digest('base64').slice(0, 32)
  return {
    encrypt(plaintext) {
      const iv = randomBytes(16)
      const cipher = createCipheriv(algorithm, key, iv)
      const content = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return JSON.stringify({ iv: iv.toString('hex'), content: content.toString('hex') })
    },
    decrypt(stored) {
      try {
        const { iv, content } = storedValue.parse(JSON.parse(stored))
        const decipher = createDecipheriv(algorithm, key, Buffer.from(iv, 'hex'))
        return Buffer.concat([decipher.update(Buffer.from(content, 'hex')), decipher.final()]).toString('utf8')
      } catch {
        return undefined
      }
    },
  }
}
