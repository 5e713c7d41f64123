import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { type ArchiveHandler, readArchive } from './archive-reader.ts'
import { BackupError, withFileErrors } from './backup-error.ts'
import type { BackupSummary } from './create-backup.ts'
import { decrypt, encryptionMagicBytes, isEncrypted } from './encrypted-stream.ts'

const readStart = async (file: string): Promise<{ start: Buffer; bytes: number }> => {
  const handle = await open(file)
  try {
    const { size } = await handle.stat()
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(encryptionMagicBytes), { position: 0 })
    return { start: buffer.subarray(0, bytesRead), bytes: size }
  } finally {
    await handle.close()
  }
}

const readBytes = 2 ** 20

/**
 * Reads a backup file to its end, checks all of it, and passes its content to the handler. With an empty handler it
 * verifies the file.
 * @param getPassphrase called if the file is encrypted
 * @throws BackupError if the file cannot be read, is damaged, or needs another passphrase
 */
export const readBackup = async (
  file: string,
  getPassphrase: () => Promise<string | undefined>,
  handler: ArchiveHandler = {},
): Promise<BackupSummary> =>
  withFileErrors('The backup cannot be read', file, async () => {
    const { start, bytes } = await readStart(file)
    const passphrase = isEncrypted(start) ? await getPassphrase() : undefined
    if (isEncrypted(start) && passphrase === undefined)
      throw new BackupError(`${file} is encrypted. Set BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE.`)
    const source: AsyncIterable<Buffer> = createReadStream(file, { highWaterMark: readBytes })
    const plain = passphrase === undefined ? source : decrypt(source, passphrase)
    return { ...(await readArchive(plain, handler)), bytes }
  })
