import { createDecipheriv, hkdfSync, scrypt } from 'node:crypto'
import { BackupError, DamagedBackupError } from './backup-error.ts'
import { createByteReader } from './byte-reader.ts'

/**
 * Decryption of backups of format 1, which no version writes any more: AES-256-GCM in chunks, each with a counter and a mark of the last one in its
 * nonce, so that chunks can be neither reordered nor removed (the STREAM construction of Hoang, Reyhanitabar, Rogaway,
 * and Vizár, 2015). docs/reference/backup-format.md describes
 * the bytes.
 */

/** The first bytes of an encrypted backup, which include the version of the encryption. */
export const magic = Buffer.from('patchbay-backup-encrypted-1\n', 'latin1')
export const saltBytes = 16
const checkBytes = 16
const tagBytes = 16
const headerBytes = magic.length + saltBytes + checkBytes

/** Bytes of plain text per chunk. */
export const chunkBytes = 2 ** 16

/** The cost N of scrypt: 128 MB and about half a second per attempt to guess a passphrase (OWASP recommends 2^17). */
const scryptCost = 2 ** 17

interface Keys {
  encryption: Buffer
  /** Compared with the header, so that a wrong passphrase is reported as such. */
  check: Buffer
}

export const deriveKeys = async (passphrase: string, salt: Buffer, cost: number): Promise<Keys> => {
  const secret = await new Promise<Buffer>((resolve, reject) =>
    scrypt(passphrase.normalize('NFC'), salt, 32, { N: cost, r: 8, p: 1, maxmem: 2 ** 28 }, (error, key) =>
      error ? reject(error) : resolve(key),
    ),
  )
  const derive = (purpose: string, bytes: number) => Buffer.from(hkdfSync('sha256', secret, salt, purpose, bytes))
  return { encryption: derive('patchbay backup encryption', 32), check: derive('patchbay backup check', checkBytes) }
}

/** The key is used for one file only, so a counter is a unique nonce. */
export const createNonce = (counter: number, isLast: boolean): Buffer => {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(counter, 5, 6)
  nonce.writeUInt8(isLast ? 1 : 0, 11)
  return nonce
}

/**
 * Decrypts a stream. Each chunk is authenticated before it is returned.
 * @throws BackupError if the passphrase is wrong
 * @throws DamagedBackupError if a byte was changed, or bytes are missing or were added
 */
export async function* decryptFormat1(
  source: AsyncIterable<Buffer>,
  passphrase: string,
  cost = scryptCost,
): AsyncGenerator<Buffer> {
  const reader = createByteReader(source)
  const header = await reader.read(headerBytes)
  const salt = header.subarray(magic.length, magic.length + saltBytes)
  const keys = await deriveKeys(passphrase, salt, cost)
  if (!keys.check.equals(header.subarray(magic.length + saltBytes)))
    throw new BackupError(
      `The passphrase is wrong, or the first ${headerBytes} bytes of the backup are damaged. Nothing was changed.`,
    )
  const open = (chunk: Buffer, counter: number, isLast: boolean): Buffer => {
    try {
      const decipher = createDecipheriv('aes-256-gcm', keys.encryption, createNonce(counter, isLast), {
        authTagLength: tagBytes,
      })
      decipher.setAAD(header)
      decipher.setAuthTag(chunk.subarray(chunk.length - tagBytes))
      return Buffer.concat([decipher.update(chunk.subarray(0, chunk.length - tagBytes)), decipher.final()])
    } catch (error) {
      const position = `bytes ${headerBytes + counter * (chunkBytes + tagBytes)} and following`
      throw new DamagedBackupError(`${position} are not what was written, or the file is incomplete`, { cause: error })
    }
  }
  for (let counter = 0; ; counter += 1) {
    const chunk = await readUpTo(reader, chunkBytes + tagBytes)
    if (chunk.length < tagBytes) throw new DamagedBackupError('the file is incomplete')
    const isLast = await reader.isAtEnd()
    yield open(chunk, counter, isLast)
    if (isLast) return
  }
}

const readUpTo = async (reader: ReturnType<typeof createByteReader>, bytes: number): Promise<Buffer> => {
  const pieces: Buffer[] = []
  for (let missing = bytes; missing > 0; ) {
    const piece = await reader.readSome(missing)
    if (piece.length === 0) break
    pieces.push(piece)
    missing -= piece.length
  }
  return Buffer.concat(pieces)
}
