import { createCipheriv, randomBytes } from 'node:crypto'
import { chunkBytes, createNonce, deriveKeys, magic, saltBytes } from '@patchbay/server/backup/encryption-1'

/** Encrypts a stream as versions did that wrote backups of format 1. The last chunk has a mark, and may be empty. */
export async function* encryptFormat1(
  source: AsyncIterable<Buffer>,
  passphrase: string,
  cost: number,
): AsyncGenerator<Buffer> {
  const salt = randomBytes(saltBytes)
  const keys = await deriveKeys(passphrase, salt, cost)
  const header = Buffer.concat([magic, salt, keys.check])
  yield header
  const seal = (chunk: Buffer, counter: number, isLast: boolean): Buffer => {
    const cipher = createCipheriv('aes-256-gcm', keys.encryption, createNonce(counter, isLast))
    cipher.setAAD(header)
    return Buffer.concat([cipher.update(chunk), cipher.final(), cipher.getAuthTag()])
  }
  let pending: Buffer[] = []
  let pendingBytes = 0
  let counter = 0
  for await (const piece of source) {
    pending.push(piece)
    pendingBytes += piece.length
    if (pendingBytes < chunkBytes) continue
    const bytes = Buffer.concat(pending)
    let start = 0
    // A full chunk is kept until more bytes follow, because the last chunk has a mark.
    for (; bytes.length - start > chunkBytes; start += chunkBytes) {
      yield seal(bytes.subarray(start, start + chunkBytes), counter, false)
      counter += 1
    }
    pending = [bytes.subarray(start)]
    pendingBytes = bytes.length - start
  }
  yield seal(Buffer.concat(pending), counter, true)
}
