import { createDecipheriv, createHash } from 'node:crypto'
import { testSecret } from '../test-api.ts'

/**
 * Decrypts a stored secret like the platform's components (docs/reference/platform-api/database.md#encryption), with an
 * implementation independent of the server.
 */
export const readByPlatform = (stored: string | null, algorithm = 'aes-256-cbc'): string => {
  const { iv, content } = JSON.parse(stored ?? '') as { iv: string; content: string }
  const key = createHash('sha256').update(testSecret).digest('base64').substring(0, 32)
  const decipher = createDecipheriv(algorithm, key, Buffer.from(iv, 'hex'))
  return Buffer.concat([decipher.update(Buffer.from(content, 'hex')), decipher.final()]).toString()
}
