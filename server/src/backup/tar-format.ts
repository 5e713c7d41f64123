import { BackupError, DamagedBackupError } from './backup-error.ts'

/**
 * The subset of the tar format (POSIX.1-1988 ustar) that backups use. All fields except the name and the size are
 * constant, so a reader can compare each header with the only valid one. That finds any changed byte.
 */

export const blockBytes = 512

/** The constant text of a header by which programs recognize the format, and its version. */
export const tarMark = { position: 257, mark: Buffer.from('ustar\x0000', 'latin1') }

/** An octal field of 11 digits. */
const maxEntryBytes = 8 ** 11 - 1
const maxNameBytes = 100
const maxPrefixBytes = 155

/** Zero bytes that fill the last block of an entry with content of this length. */
export const countPadding = (size: number): number => (blockBytes - (size % blockBytes)) % blockBytes

/** The end of an archive. */
export const archiveEnd = Buffer.alloc(2 * blockBytes)

const splitName = (name: string): [prefix: string, name: string] => {
  if (name.length <= maxNameBytes) return ['', name]
  const slash = name.indexOf('/', name.length - maxNameBytes - 1)
  if (slash < 0 || slash > maxPrefixBytes) throw new BackupError(`The name ${name} is too long for a backup.`)
  return [name.slice(0, slash), name.slice(slash + 1)]
}

/**
 * Returns the header of an entry.
 * @throws BackupError if the name or the content is too long for the format
 */
export const encodeTarHeader = (entryName: string, size: number): Buffer => {
  if (size > maxEntryBytes) throw new BackupError(`${entryName} is too large for a backup: ${size} bytes.`)
  const [prefix, name] = splitName(entryName)
  const header = Buffer.alloc(blockBytes)
  header.write(name, 0, 'latin1')
  header.write('0000600\0', 100, 'latin1')
  header.write('0000000\0', 108, 'latin1')
  header.write('0000000\0', 116, 'latin1')
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1')
  header.write('00000000000\0', 136, 'latin1')
  // The checksum is computed with spaces in its place.
  header.write('        0', 148, 'latin1')
  tarMark.mark.copy(header, tarMark.position)
  header.write(prefix, 345, 'latin1')
  const checksum = header.reduce((sum, byte) => sum + byte, 0)
  header.write(`${checksum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return header
}

const readText = (header: Buffer, start: number, length: number): string => {
  const field = header.subarray(start, start + length)
  const end = field.indexOf(0)
  return field.toString('latin1', 0, end < 0 ? length : end)
}

/**
 * Parses a header. Returns undefined for a block of zeros, which ends the archive.
 * @throws DamagedBackupError for any header that `encodeTarHeader` does not create
 */
export const decodeTarHeader = (header: Buffer): { name: string; size: number } | undefined => {
  if (header.equals(archiveEnd.subarray(0, blockBytes))) return undefined
  const prefix = readText(header, 345, maxPrefixBytes)
  const size = readText(header, 124, 12)
  const name = `${prefix === '' ? '' : `${prefix}/`}${readText(header, 0, maxNameBytes)}`
  const parsed = { name, size: Number.parseInt(size, 8) }
  if (!/^[0-7]{11}$/.test(size) || !isCanonical(header, parsed))
    throw new DamagedBackupError('the header of an entry is invalid')
  return parsed
}

const isCanonical = (header: Buffer, { name, size }: { name: string; size: number }): boolean => {
  try {
    return encodeTarHeader(name, size).equals(header)
  } catch {
    return false
  }
}
