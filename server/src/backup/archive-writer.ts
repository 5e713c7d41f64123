import { createHash } from 'node:crypto'
import { open, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, gzip } from 'node:zlib'
import { ignoreMissingFile } from '../lib/error-code.ts'
import { BackupError, withFileErrors } from './backup-error.ts'
import type { BackupTable } from './known-tables.ts'
import type { BackupHeader, BackupManifest } from './manifest.ts'
import { encodeRow } from './row-encoding.ts'
import type { Snapshot } from './snapshot.ts'
import { listRecordings, secretsName } from './stored-files.ts'
import { archiveEnd, countPadding, encodeTarHeader } from './tar-format.ts'

/** Creates the bytes of a backup. Memory use does not depend on the size of the database. */

const compress = promisify(gzip)

/** Uncompressed characters after which a part of a table ends. */
export const partBytes = 4 * 2 ** 20

/** Bytes of a recording per read. */
const readBytes = 2 ** 20

export const headerName = 'header.json'
export const manifestName = 'manifest.json'
export const checksumName = 'sha256'

/** Returns the name of a part of a table. Numbers start with 1. */
export const getPartName = (table: string, part: number): string =>
  `tables/${table}/${String(part).padStart(6, '0')}.ndjson.gz`

const encodeEntry = (name: string, content: Buffer): Buffer =>
  Buffer.concat([encodeTarHeader(name, content.length), content, Buffer.alloc(countPadding(content.length))])

const toJson = (value: object): Buffer => Buffer.from(`${JSON.stringify(value, null, 2)}\n`)

/** Joins lines to texts of at least `partBytes`, except for the last one. */
async function* joinRows(rows: ReturnType<Snapshot['readRows']>): AsyncGenerator<{ text: Buffer; rows: number }> {
  let lines: string[] = []
  let length = 0
  const flush = () => {
    const part = { text: Buffer.from(lines.join('')), rows: lines.length }
    lines = []
    length = 0
    return part
  }
  for await (const row of rows) {
    const line = encodeRow(row)
    lines.push(line)
    length += line.length
    if (length >= partBytes) yield flush()
  }
  if (lines.length > 0) yield flush()
}

async function* writeTable(
  snapshot: Snapshot,
  table: BackupTable,
): AsyncGenerator<Buffer, BackupManifest['tables'][number]> {
  const hash = createHash('sha256')
  let parts = 0
  let rows = 0
  for await (const part of joinRows(snapshot.readRows(table))) {
    parts += 1
    rows += part.rows
    hash.update(part.text)
    yield encodeEntry(getPartName(table.name, parts), await compress(part.text, { level: constants.Z_BEST_SPEED }))
  }
  return { name: table.name, parts, rows, sha256: hash.digest('hex') }
}

/** A recording can be deleted, but not changed, while the backup runs. */
async function* writeRecordings(dataDir: string): AsyncGenerator<Buffer, BackupManifest['recordings']> {
  const hash = createHash('sha256')
  let files = 0
  let bytes = 0
  for await (const name of listRecordings(dataDir)) {
    const path = join(dataDir, name)
    const handle = await withFileErrors('A recording cannot be read', path, () => open(path).catch(ignoreMissingFile))
    if (handle === undefined) continue
    try {
      const { size } = await handle.stat()
      yield encodeTarHeader(name, size)
      for (let position = 0; position < size; ) {
        const { buffer, bytesRead } = await handle.read(Buffer.alloc(Math.min(readBytes, size - position)), {
          position,
        })
        if (bytesRead === 0) throw new BackupError(`The recording ${name} was truncated while it was read.`)
        const piece = buffer.subarray(0, bytesRead)
        hash.update(piece)
        yield piece
        position += bytesRead
      }
      yield Buffer.alloc(countPadding(size))
      files += 1
      bytes += size
    } finally {
      await handle.close()
    }
  }
  return { files, bytes, sha256: hash.digest('hex') }
}

interface ArchiveContent {
  header: BackupHeader
  snapshot: Snapshot
  dataDir: string
  withSecrets: boolean
}

async function* writeEntries({
  header,
  snapshot,
  dataDir,
  withSecrets,
}: ArchiveContent): AsyncGenerator<Buffer, BackupManifest> {
  yield encodeEntry(headerName, toJson(header))
  const tables: BackupManifest['tables'] = []
  for (const table of snapshot.tables) tables.push(yield* writeTable(snapshot, table))
  const recordings = yield* writeRecordings(dataDir)
  const secrets = withSecrets ? await readFile(join(dataDir, secretsName)).catch(ignoreMissingFile) : undefined
  if (secrets !== undefined) yield encodeEntry(secretsName, secrets)
  const manifest = { tables, recordings, hasSecrets: secrets !== undefined }
  yield encodeEntry(manifestName, toJson(manifest))
  return manifest
}

/** Creates the bytes of an archive, without encryption. Returns its manifest. */
export async function* writeArchive(content: ArchiveContent): AsyncGenerator<Buffer, BackupManifest> {
  const hash = createHash('sha256')
  const entries = writeEntries(content)
  try {
    for (;;) {
      const next = await entries.next()
      if (next.done) {
        yield encodeEntry(checksumName, Buffer.from(`${hash.digest('hex')}\n`))
        yield archiveEnd
        return next.value
      }
      hash.update(next.value)
      yield next.value
    }
  } finally {
    // Closes the open file of a recording if writing has failed.
    await entries.return(undefined as never)
  }
}
