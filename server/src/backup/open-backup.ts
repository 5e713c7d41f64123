import { ageMagic, decrypt } from './age.ts'
import { type ArchiveHandler, readArchive } from './archive-reader.ts'
import { headerName } from './archive-writer.ts'
import { BackupError, withFileErrors } from './backup-error.ts'
import type { BackupFile } from './backup-file.ts'
import type { BackupSummary } from './create-backup.ts'
import { decryptFormat1, magic as format1Magic } from './encryption-1.ts'
import { tarMark } from './tar-format.ts'

type Decrypt = (source: AsyncIterable<Buffer>, passphrase: string) => AsyncGenerator<Buffer>

const encryptions: readonly { magic: Buffer; decrypt: Decrypt }[] = [
  { magic: ageMagic, decrypt },
  { magic: format1Magic, decrypt: decryptFormat1 },
]

/** Marks at the start of each archive. An archive with a changed byte still has one of them. */
const archiveMarks = [{ position: 0, mark: Buffer.from(`${headerName}\0`, 'latin1') }, tarMark]

/** The number of bytes by which a backup and its encryption are recognized. */
const magicBytes = Math.max(
  ...encryptions.map(({ magic }) => magic.length),
  ...archiveMarks.map(({ position, mark }) => position + mark.length),
)

const isArchive = (start: Buffer): boolean =>
  archiveMarks.some(({ position, mark }) => start.subarray(position, position + mark.length).equals(mark))

/** Returns the encryption of a file that starts with these bytes. Undefined if it is not encrypted. */
const findEncryption = (start: Buffer) => encryptions.find(({ magic }) => start.subarray(0, magic.length).equals(magic))

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
    const { start, all, close } = await peek(count(), magicBytes)
    try {
      const encryption = findEncryption(start)
      if (encryption === undefined && start.length > 0 && !isArchive(start))
        throw new BackupError(`${file.name} is not a backup of Patchbay. Nothing was changed.`)
      if (requiresEncryption && encryption === undefined)
        throw new BackupError(
          `${file.name} is not encrypted, although BACKUP_PASSPHRASE is set, so anyone could have written it. If you know where it comes from, use --allow-unencrypted. Nothing was changed.`,
        )
      const passphrase = encryption && (await getPassphrase())
      if (encryption && passphrase === undefined)
        throw new BackupError(`${file.name} is encrypted. Set BACKUP_PASSPHRASE or BACKUP_PASSPHRASE_FILE.`)
      const plain = encryption && passphrase !== undefined ? encryption.decrypt(all, passphrase) : all
      const summary = await readArchive(plain, handler)
      return { ...summary, bytes }
    } finally {
      await close()
    }
  })
