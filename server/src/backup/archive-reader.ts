import { createHash, type Hash } from 'node:crypto'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { checksumName, getPartName, headerName, manifestName, partBytes } from './archive-writer.ts'
import { DamagedBackupError } from './backup-error.ts'
import { type ByteReader, createByteReader } from './byte-reader.ts'
import { type BackupHeader, type BackupManifest, parseHeader, parseManifest } from './manifest.ts'
import { type CellValue, decodeRow } from './row-encoding.ts'
import { isRecordingName, secretsName } from './stored-files.ts'
import { archiveEnd, blockBytes, countPadding, decodeTarHeader } from './tar-format.ts'

/** Reads the bytes of a backup, without encryption, and checks all of them. */

const decompress = promisify(gunzip)

/** Limits the memory that a damaged or hostile file can use. A part is larger than 4 MB only by its last row. */
const maxJsonBytes = 4 * 2 ** 20
const maxPartBytes = 128 * 2 ** 20
const maxSecretsBytes = 2 ** 16

/** Bytes per piece of a recording. */
const pieceBytes = 2 ** 20

/** Handles what a backup contains, in the order of the archive. Each call is awaited. */
export interface ArchiveHandler {
  onHeader?(header: BackupHeader): Promise<void> | void
  onRows?(table: BackupHeader['tables'][number], rows: CellValue[][]): Promise<void> | void
  /** All pieces have to be read. The name is a valid path below the data folder. */
  onRecording?(name: string, pieces: AsyncIterable<Buffer>): Promise<void>
  onSecrets?(content: Buffer): Promise<void> | void
}

interface Entry {
  name: string
  size: number
}

const readContent = async (reader: ByteReader, { name, size }: Entry, maxBytes: number): Promise<Buffer> => {
  if (size > maxBytes) throw new DamagedBackupError(`${name} has ${size} bytes, and ${maxBytes} are allowed`)
  const content = await reader.read(size)
  await skipPadding(reader, size)
  return content
}

const skipPadding = async (reader: ByteReader, size: number): Promise<void> => {
  const padding = await reader.read(countPadding(size))
  if (padding.some((byte) => byte !== 0)) throw new DamagedBackupError('the padding of an entry is not zero')
}

const readEntry = async (reader: ByteReader): Promise<Entry> => {
  const entry = decodeTarHeader(await reader.read(blockBytes))
  if (entry === undefined) throw new DamagedBackupError('the archive ends before its checksum')
  return entry
}

const decompressPart = async (name: string, content: Buffer): Promise<Buffer> => {
  try {
    return await decompress(content, { maxOutputLength: maxPartBytes })
  } catch (error) {
    throw new DamagedBackupError(`${name} cannot be decompressed to at most ${maxPartBytes} bytes`, { cause: error })
  }
}

/** A character has up to three bytes in UTF-8 for each of its units in JavaScript. */
const maxBytesBeforeLastRow = 3 * partBytes

/** The number of rows that are decoded at a time, because small rows take a multiple of their text as memory. */
const rowsPerBatch = 1000

const lineBreak = 0x0a

/**
 * Splits the text of a part into batches of decoded rows.
 * @throws DamagedBackupError if the part is larger than the writer makes it, or a row is invalid
 */
function* decodeRows(name: string, text: Buffer, columns: number): Generator<CellValue[][]> {
  if (text.at(-1) !== lineBreak) throw new DamagedBackupError(`${name} ends inside a row`)
  if (text.lastIndexOf(lineBreak, -2) > maxBytesBeforeLastRow)
    throw new DamagedBackupError(`${name} has too many rows for a part`)
  let rows: CellValue[][] = []
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf(lineBreak, start)
    rows.push(decodeRow(text.toString('utf8', start, end), columns))
    start = end + 1
    if (rows.length < rowsPerBatch && start < text.length) continue
    yield rows
    rows = []
  }
}

type TableSummary = BackupManifest['tables'][number]

/** Counts and hashes what was read, for the comparison with the manifest. */
class Totals {
  readonly tables: TableSummary[] = []
  readonly recordings = { files: 0, bytes: 0 }
  readonly recordingsHash: Hash = createHash('sha256')
  hasSecrets = false

  assertEqual(manifest: BackupManifest): void {
    const recordings = { ...this.recordings, sha256: this.recordingsHash.digest('hex') }
    const actual: BackupManifest = { tables: this.tables, recordings, hasSecrets: this.hasSecrets }
    for (const [position, table] of this.tables.entries())
      if (JSON.stringify(table) !== JSON.stringify(manifest.tables[position]))
        throw new DamagedBackupError(`the rows of ${table.name} are not those that the manifest describes`)
    if (JSON.stringify(actual) !== JSON.stringify(manifest))
      throw new DamagedBackupError('the content is not what the manifest describes')
  }
}

/** Reads the parts of a table, as long as entries have their names. Returns the first other entry. */
const readTable = async (
  reader: ByteReader,
  table: BackupHeader['tables'][number],
  first: Entry,
  handler: ArchiveHandler,
): Promise<{ next: Entry; summary: TableSummary }> => {
  const hash = createHash('sha256')
  let next = first
  let parts = 0
  let count = 0
  while (next.name === getPartName(table.name, parts + 1)) {
    const text = await decompressPart(next.name, await readContent(reader, next, maxPartBytes))
    hash.update(text)
    for (const rows of decodeRows(next.name, text, table.columns.length)) {
      count += rows.length
      await handler.onRows?.(table, rows)
    }
    parts += 1
    next = await readEntry(reader)
  }
  return { next, summary: { name: table.name, parts, rows: count, sha256: hash.digest('hex') } }
}

async function* readPieces(reader: ByteReader, size: number, onPiece: (piece: Buffer) => void): AsyncGenerator<Buffer> {
  for (let missing = size; missing > 0; ) {
    const piece = await reader.readSome(Math.min(missing, pieceBytes))
    if (piece.length === 0) throw new DamagedBackupError('the file is incomplete')
    onPiece(piece)
    missing -= piece.length
    yield piece
  }
}

const drain = async (pieces: AsyncGenerator<Buffer>): Promise<void> => {
  while (!(await pieces.next()).done);
}

const readRecordings = async (
  reader: ByteReader,
  first: Entry,
  totals: Totals,
  handler: ArchiveHandler,
): Promise<Entry> => {
  let next = first
  while (next.name.startsWith('recordings/')) {
    if (!isRecordingName(next.name)) throw new DamagedBackupError(`${JSON.stringify(next.name)} is not a valid name`)
    const pieces = readPieces(reader, next.size, (piece) => totals.recordingsHash.update(piece))
    await (handler.onRecording?.(next.name, pieces) ?? drain(pieces))
    await skipPadding(reader, next.size)
    totals.recordings.files += 1
    totals.recordings.bytes += next.size
    next = await readEntry(reader)
  }
  return next
}

const expectName = ({ name }: Entry, expected: string): void => {
  if (name !== expected) throw new DamagedBackupError(`${JSON.stringify(name)} is in the place of ${expected}`)
}

const readEnd = async (reader: ByteReader): Promise<void> => {
  const expected = reader.digest().toString('hex')
  const entry = await readEntry(reader)
  expectName(entry, checksumName)
  if ((await readContent(reader, entry, blockBytes)).toString('latin1') !== `${expected}\n`)
    throw new DamagedBackupError('the checksum of the file is wrong')
  if (!(await reader.read(archiveEnd.length)).equals(archiveEnd) || !(await reader.isAtEnd()))
    throw new DamagedBackupError('there are bytes after its end')
}

/**
 * Reads an archive to its end and passes its content to the handler. The content is known to be intact only when this
 * function returns.
 * @throws DamagedBackupError if anything differs from what was written
 * @throws BackupError if the format is newer than this program
 */
export const readArchive = async (
  source: AsyncIterable<Buffer>,
  handler: ArchiveHandler = {},
): Promise<{ header: BackupHeader; manifest: BackupManifest }> => {
  const reader = createByteReader(source)
  const first = await readEntry(reader)
  expectName(first, headerName)
  const header = parseHeader((await readContent(reader, first, maxJsonBytes)).toString('utf8'))
  await handler.onHeader?.(header)
  const totals = new Totals()
  let next = await readEntry(reader)
  for (const table of header.tables) {
    const read = await readTable(reader, table, next, handler)
    totals.tables.push(read.summary)
    ;({ next } = read)
  }
  next = await readRecordings(reader, next, totals, handler)
  if (next.name === secretsName) {
    totals.hasSecrets = true
    const content = await readContent(reader, next, maxSecretsBytes)
    await handler.onSecrets?.(content)
    next = await readEntry(reader)
  }
  expectName(next, manifestName)
  const manifest = parseManifest((await readContent(reader, next, maxJsonBytes)).toString('utf8'))
  totals.assertEqual(manifest)
  await readEnd(reader)
  return { header, manifest }
}
