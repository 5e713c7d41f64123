import { type ArchiveHandler, readArchive } from './archive-reader.ts'
import { BackupError, withFileErrors } from './backup-error.ts'
import type { BackupFile } from './backup-file.ts'
import type { BackupSummary } from './create-backup.ts'
import { decrypt, encryptionMagicBytes, isEncrypted } from './encrypted-stream.ts'

interface PeekedStream {
  /** The first bytes. */
  start: Buffer
  /** All bytes, including the first ones. */
  all: AsyncIterable<Buffer>
  /** Ends the stream, also if it was not read to its end. */
  close(): Promise<unknown>
}

const peek = async (source: AsyncGenerator<Buffer>, bytes: number): Promise<PeekedStream> => {
  let start = Buffer.alloc(0)
  while (start.length < bytes) {
    const next = await source.next()
    if (next.done) break
    start = Buffer.concat([start, next.value])
  }
  const readAll = async function* () {
    yield start
    yield* source
  }
  return { start, all: readAll(), close: () => source.return(undefined) }
}

/**
 * Reads a backup to its end, checks all of it, and passes its content to the handler. With an empty handler it verifies
 * the backup.
 * @param getPassphrase called if the backup is encrypted
 * @param requiresEncryption rejects a backup that is not encrypted, because every program that
 *   can replace the file could have written it
 * @throws BackupError if the backup cannot be read, is damaged, or needs another passphrase
 */
export const readBackup = async (
  file: BackupFile,
  getPassphrase: () => Promise<string | undefined>,
  handler: ArchiveHandler = {},
  requiresEncryption = false,
): Promise<BackupSummary> =>
  withFileErrors('The backup cannot be read', file.name, async () => {
    let bytes = 0
    const count = async function* () {
      for await (const chunk of file.read()) {
        bytes += chunk.length
        yield chunk
      }
    }
    const { start, all, close } = await peek(count(), encryptionMagicBytes)
    try {
      if (requiresEncryption && !isEncrypted(start))
        throw new BackupError(
          `${file.name} is not encrypted, although BACKUP_PASSPHRASE is set, so anyone could have written it. If you know where it comes from, use --allow-unencrypted. Nothing was changed.`,
        )
      const passphrase = isEncrypted(start) ? await getPassphrase() : undefined
      if (isEncrypted(start) && passphrase === undefined)
        throw new BackupError(`${file.name} is encrypted. Set BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE.`)
      const plain = passphrase === undefined ? all : decrypt(all, passphrase)
      const summary = await readArchive(plain, handler)
      return { ...summary, bytes }
    } finally {
      await close()
    }
  })
