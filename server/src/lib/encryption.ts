import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'

/**
 * Secrets at rest as the platform writes them (api/1-identity.md §15): AES-256-CBC, or CTR where the platform is set to
 * its older way; the key the first 32 characters of base64(SHA-256(secret)), stored as JSON {iv, content} in hex. A fresh
 * IV for every value.
 */
export interface Encryption {
  encrypt(plaintext: string): string
  /** undefined for what is no value of ours */
  decrypt(stored: string): string | undefined
}

const storedValue = z.object({ iv: z.string().regex(/^[0-9a-f]{32}$/i), content: z.string().regex(/^[0-9a-f]*$/i) })

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
