import { createHash } from 'node:crypto'
import { gunzipSync, gzipSync } from 'node:zlib'
import { readArchive } from '@patchbay/server/backup/archive-reader'
import { checksumName, getPartName, headerName, manifestName } from '@patchbay/server/backup/archive-writer'
import { BackupError } from '@patchbay/server/backup/backup-error'
import { formatVersion } from '@patchbay/server/backup/manifest'
import { type CellValue, decodeRow, encodeRow } from '@patchbay/server/backup/row-encoding'
import { isRecordingName, secretsName } from '@patchbay/server/backup/stored-files'
import { archiveEnd, countPadding, encodeTarHeader } from '@patchbay/server/backup/tar-format'
import { assertEqual, assertRule, type FuzzTarget } from '../engine/target.ts'

/**
 * Backups, as `patchbay restore` reads them. The first byte of an input chooses what follows: the bytes of an archive, or
 * names and contents of entries, which get valid headers and checksums so that they reach the rest of the reader.
 */

const sha256 = (...parts: readonly Uint8Array[]): string => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest('hex')
}

interface Entry {
  name: string
  content: Buffer
}

const encodeEntry = ({ name, content }: Entry): Buffer =>
  Buffer.concat([encodeTarHeader(name, content.length), content, Buffer.alloc(countPadding(content.length))])

/** A part with more bytes than this needs no valid hash, because the reader decompresses it in any case. */
const maxHashedBytes = 2 ** 20

const decompress = (content: Buffer): Buffer => {
  try {
    return gunzipSync(content, { maxOutputLength: maxHashedBytes })
  } catch {
    return Buffer.alloc(0)
  }
}

/** Tables of an archive with a computed manifest. */
const maxTables = 100

/** Returns the names of the tables that the header describes, also if it is invalid otherwise. */
const readTableNames = (entries: readonly Entry[]): string[] => {
  try {
    const { tables } = JSON.parse(String(entries[0]?.content)) as { tables?: { name?: unknown }[] }
    return [...new Set(tables?.map(({ name }) => String(name)))].slice(0, maxTables)
  } catch {
    return []
  }
}

/** Returns a manifest that fits to the entries, also if they are no valid parts. */
const createManifest = (entries: readonly Entry[]): string => {
  const getParts = (table: string): Buffer[] =>
    entries.filter(({ name }) => name.startsWith(`tables/${table}/`)).map(({ content }) => decompress(content))
  const tables = new Map(readTableNames(entries).map((name) => [name, getParts(name)]))
  const recordings = entries.filter(({ name }) => name.startsWith('recordings/')).map(({ content }) => content)
  return JSON.stringify({
    tables: [...tables].map(([name, parts]) => ({
      name,
      parts: parts.length,
      rows: parts.reduce((rows, part) => rows + part.toString('latin1').split('\n').length - 1, 0),
      sha256: sha256(...parts),
    })),
    recordings: {
      files: recordings.length,
      bytes: recordings.reduce((sum, { length }) => sum + length, 0),
      sha256: sha256(...recordings),
    },
    hasSecrets: entries.some(({ name }) => name === secretsName),
  })
}

const toArchive = (entries: readonly Entry[]): Buffer => {
  const content = Buffer.concat(entries.map(encodeEntry))
  const checksum = encodeEntry({ name: checksumName, content: Buffer.from(`${sha256(content)}\n`) })
  return Buffer.concat([content, checksum, archiveEnd])
}

const [entrySeparator, contentSeparator] = ['\x1e', '\x1f']

/** Reads entries as text. Rows are compressed, and a manifest without content is computed. */
const readEntries = (text: string): Entry[] => {
  const entries = text.split(entrySeparator).map((entry): Entry => {
    const at = entry.indexOf(contentSeparator)
    const [name, content] = at < 0 ? [entry, ''] : [entry.slice(0, at), entry.slice(at + 1)]
    const bytes = Buffer.from(content, 'latin1')
    return { name, content: name.endsWith('.gz') ? gzipSync(bytes) : bytes }
  })
  return entries.map((entry) =>
    entry.name === manifestName && entry.content.length === 0
      ? { name: entry.name, content: Buffer.from(createManifest(entries)) }
      : entry,
  )
}

/** Returns the archive that an input describes, or undefined if a name does not fit into a header. */
const createArchive = (input: Buffer): Buffer | undefined => {
  if ((input[0] ?? 0) % 2 === 0) return input.subarray(1)
  try {
    return toArchive(readEntries(input.toString('latin1', 1)))
  } catch (error) {
    if (error instanceof BackupError) return undefined
    throw error
  }
}

async function* toStream(bytes: Buffer, pieceBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes)
}

const checkRow = (row: readonly CellValue[]): void => {
  const line = encodeRow(row)
  assertEqual(encodeRow(decodeRow(line.trimEnd(), row.length)), line, 'a row and what it is written as')
}

/** Reads an archive, and returns the outcome as a text. */
const read = async (archive: Buffer, pieceBytes: number): Promise<string> => {
  const log: string[] = []
  try {
    const { manifest } = await readArchive(toStream(archive, pieceBytes), {
      onHeader: ({ tables }) => void log.push(`${tables.length} tables`),
      onRows(table, rows) {
        for (const row of rows) {
          assertRule(row.length === table.columns.length, () => 'a row has another number of values')
          checkRow(row)
        }
        log.push(`${rows.length} rows`)
      },
      async onRecording(name, pieces) {
        const isInside = isRecordingName(name) && !name.split('/').includes('..')
        assertRule(isInside, () => `${name} is not below the folder of recordings`)
        let bytes = 0
        for await (const piece of pieces) bytes += piece.length
        log.push(`${name} ${bytes}`)
      },
      onSecrets: ({ length }) => void log.push(`secrets ${length}`),
    })
    log.push(JSON.stringify(manifest))
  } catch (error) {
    if (!(error instanceof BackupError)) throw error
    assertRule(error.message.length < 1000, () => `the message is long: ${error.message}`)
    log.push(error.message)
  }
  return log.join('\n')
}

const header = JSON.stringify({
  format: formatVersion,
  program: '0.2.0',
  engine: 'sqlite',
  createdAt: '2026-05-01T00:00:00.000Z',
  isAdopted: false,
  migrations: ['a'],
  tables: [
    { name: 'accounts', columns: ['a', 'b'] },
    { name: 'empty', columns: ['a'] },
  ],
  leftOut: [],
})

const rows = ['[1,"x"]', '[null,{"int":"9007199254740993"}]', '[{"real":"-0"},{"base64":"AAE="}]', ''].join('\n')

const createText = (): string =>
  [
    [headerName, header],
    [getPartName('accounts', 1), rows],
    [getPartName('accounts', 2), '[2,"y"]\n'],
    ['recordings/a/2026/b.wav', 'RIFF'],
    [secretsName, '{}'],
    [manifestName, ''],
  ]
    .map((entry) => entry.join(contentSeparator))
    .join(entrySeparator)

export const target: FuzzTarget = {
  name: 'archive',
  files: /\/server\/src\/backup\/(?:archive-reader|byte-reader|manifest|row-encoding|tar-format|stored-files)\.ts$/,
  // Lines of more than 64 kB are checked before they are parsed.
  maxBytes: 131_072,
  // A part of this size can decompress to a thousand times as much.
  maxCpuMs: 5000,
  maxRssMb: 1000,
  tokens: [
    entrySeparator,
    contentSeparator,
    'tables/',
    '/000001.ndjson.gz',
    '/000002.ndjson.gz',
    '\n[',
    'null',
    '{"int":"',

    '{"real":"Infinity"}',
    '{"base64":"',
    'recordings/unfinished/',
    '/../',
    '"tables":[',
    '"columns":[',
    'ustar\x0000',
  ],
  createSeeds: () => [
    Buffer.from(`\x01${createText()}`),
    Buffer.concat([Buffer.from([0]), toArchive(readEntries(createText()))]),
    Buffer.concat([Buffer.from([0]), toArchive(readEntries(createText())).subarray(0, 4096)]),
    Buffer.concat([
      Buffer.from([0]),
      toArchive([
        { name: headerName, content: Buffer.from(header) },
        { name: getPartName('accounts', 1), content: gzipSync(Buffer.alloc(2 ** 17, '[1,2]\n')) },
      ]),
    ]),
  ],
  async run(input) {
    const archive = createArchive(input)
    if (archive === undefined) return
    const whole = await read(archive, Math.max(1, archive.length))
    const pieceBytes = Math.max(1 + (input[0] ?? 0), archive.length >> 8)
    assertEqual(await read(archive, pieceBytes), whole, `an archive and its pieces of ${pieceBytes} bytes`)
  },
}
