import { Decrypter, Encrypter } from 'age-encryption'
import { BackupError, DamagedBackupError } from './backup-error.ts'

/**
 * Encryption of a backup with a passphrase, in the format of age (age-encryption.org/v1), so that `age` and other
 * programs can decrypt it: ChaCha20-Poly1305 in chunks of 64 KiB that can be neither reordered nor removed.
 */

/** The first line of a file in the format of age. */
export const ageMagic = Buffer.from('age-encryption.org/v1\n', 'latin1')

/** scrypt with N = 2^17, as OWASP recommends: 128 MB and about a second per attempt to guess a passphrase. */
const workFactor = 17

const normalize = (passphrase: string): string => passphrase.normalize('NFC')

async function* toBuffers(stream: ReadableStream<Uint8Array>): AsyncGenerator<Buffer> {
  for await (const { buffer, byteOffset, byteLength } of stream) yield Buffer.from(buffer, byteOffset, byteLength)
}

/**
 * Encrypts a stream.
 *
 * @param factor the binary logarithm of N of scrypt. Only tests that encrypt often use a smaller one.
 */
export async function* encrypt(
  source: AsyncIterable<Buffer>,
  passphrase: string,
  factor = workFactor,
): AsyncGenerator<Buffer> {
  const encrypter = new Encrypter()
  encrypter.setPassphrase(normalize(passphrase))
  encrypter.setScryptWorkFactor(factor)
  yield* toBuffers(await encrypter.encrypt(ReadableStream.from(source)))
}

/**
 * Decrypts a stream. Each chunk is authenticated before it is returned.
 * @throws BackupError if the passphrase is wrong
 * @throws DamagedBackupError if a byte was changed, or bytes are missing or were added
 */
export async function* decrypt(source: AsyncIterable<Buffer>, passphrase: string): AsyncGenerator<Buffer> {
  const failure: { ofSource?: unknown } = {}
  const observe = async function* () {
    try {
      yield* source
    } catch (error) {
      failure.ofSource = error
      throw error
    }
  }
  const decrypter = new Decrypter()
  decrypter.addPassphrase(normalize(passphrase))
  try {
    yield* toBuffers(await decrypter.decrypt(ReadableStream.from(observe())))
  } catch (error) {
    if ('ofSource' in failure) throw failure.ofSource
    if (error instanceof Error && /no identity matched/.test(error.message))
      throw new BackupError('The passphrase is wrong, or the header of the backup is damaged. Nothing was changed.')
    throw new DamagedBackupError('bytes were changed, or the file is incomplete', { cause: error })
  }
}
