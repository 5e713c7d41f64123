import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { constants, gunzip, gzip } from 'node:zlib'
import { lockFile } from '../../lib/file-lock.ts'
import { sha256 } from '../../lib/sha256.ts'

/**
 * Rows of a table that wait for ClickHouse, in files that survive the end of the process and of the machine. Each process
 * has a folder of its own, and takes over the files of processes that have ended.
 */

export interface Batch<Row> {
  /** Deduplication token of the insert. It stays the same in all attempts. */
  token: string
  /**
   * Whether the rows were compared with the stored ones. Inserts follow, whose results can be unknown, so the rows do not
   * change afterwards, and a repeated insert is recognized.
   */
  isCompared: boolean
  /** Time of the comparison in milliseconds since the Unix epoch. Undefined in files of earlier versions. */
  comparedAt?: number
  rows: readonly Row[]
}

export interface Spool<Row> {
  readonly isEmpty: boolean
  readonly bytes: number
  /** Writes a batch to the disk. Throws `SpoolFullError` if it does not fit. */
  add(batch: Batch<Row>): Promise<void>
  /** Returns the oldest batch, or undefined. */
  first(): Promise<Batch<Row> | undefined>
  /** Replaces the oldest batch. */
  replaceFirst(batch: Batch<Row>): Promise<void>
  /**
   * Writes a row that ClickHouse rejects to a file that is not read again. It does not count as waiting.
   * @param key identifies the row. A row that is rejected again replaces its file
   */
  keepRejected(key: string, batch: Batch<Row>): Promise<void>
  /** Removes the oldest batch. */
  removeFirst(): Promise<void>
  close(): void
}

export class SpoolFullError extends Error {}

const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The fastest level makes call data about ten times smaller. */
const compress = (text: string): Promise<Buffer> => promisify(gzip)(text, { level: constants.Z_BEST_SPEED })

/** Writes a file that is complete or absent after a crash, and absent after an error. Returns its size in bytes. */
const writeDurably = async (folder: string, name: string, batch: object): Promise<number> => {
  const content = await compress(JSON.stringify(batch))
  const temporary = join(folder, `${randomUUID()}.part`)
  try {
    const handle = await open(temporary, 'wx', 0o600)
    try {
      await handle.writeFile(content)
      await handle.sync()
    } finally {
      await handle.close()
    }
    await rename(temporary, join(folder, name))
  } catch (error) {
    // On a full disk, the incomplete files would take the space that becomes free.
    await unlink(temporary).catch(() => {})
    throw error
  }
  await syncFolder(folder)
  return content.length
}

const maxProcesses = 64

/** Locks the first folder that no other process uses. Takes over the files of the other folders without a process. */
const lockFolder = async (parent: string) => {
  for (let number = 1; number <= maxProcesses; number++) {
    const folder = join(parent, String(number))
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const lock = lockFile(join(folder, 'lock'))
    if (lock !== undefined) return { folder, lock }
  }
  throw new Error(`more than ${maxProcesses} processes use ${parent}`)
}

const extension = '.json.gz'
const isBatch = (name: string): boolean => name.endsWith(extension)

const takeOver = async (parent: string, own: string): Promise<void> => {
  for (const number of await readdir(parent)) {
    const folder = join(parent, number)
    if (folder === own) continue
    const lock = lockFile(join(folder, 'lock'))
    if (lock === undefined) continue
    try {
      for (const name of (await readdir(folder)).filter(isBatch)) await rename(join(folder, name), join(own, name))
      await syncFolder(own)
    } finally {
      lock.release()
    }
  }
}

/** Names sort by the time at which the batch was added. */
const createNames = () => {
  let last = 0
  return () => {
    last = Math.max(last + 1, Date.now())
    return `${String(last).padStart(16, '0')}-${randomUUID()}${extension}`
  }
}

/**
 * Opens the spool of this process for a table.
 * @param parent folder of the spools of all processes for the table
 * @param maxBytes size at which `add` fails
 */
export const openSpool = async <Row>(parent: string, maxBytes: number): Promise<Spool<Row>> => {
  const { folder, lock } = await lockFolder(parent)
  await takeOver(parent, folder)
  const names = await readdir(folder)
  for (const name of names) if (name.endsWith('.part')) await unlink(join(folder, name))
  const sizes = new Map<string, number>()
  for (const name of names.filter(isBatch).toSorted()) sizes.set(name, (await stat(join(folder, name))).size)
  const createName = createNames()
  let bytes = [...sizes.values()].reduce((sum, size) => sum + size, 0)

  const setSize = (name: string, size: number | undefined): void => {
    bytes += (size ?? 0) - (sizes.get(name) ?? 0)
    if (size === undefined) sizes.delete(name)
    else sizes.set(name, size)
  }
  const firstName = (): string | undefined => sizes.keys().next().value

  return {
    get isEmpty() {
      return sizes.size === 0
    },
    get bytes() {
      return bytes
    },
    async add(batch) {
      if (bytes >= maxBytes) throw new SpoolFullError(`the spool has ${bytes} bytes`)
      const name = createName()
      setSize(name, await writeDurably(folder, name, batch))
    },
    async first() {
      const name = firstName()
      if (name === undefined) return undefined
      const text = await promisify(gunzip)(await readFile(join(folder, name)))
      return JSON.parse(text.toString('utf8')) as Batch<Row>
    },
    async replaceFirst(batch) {
      const name = firstName()
      if (name !== undefined) setSize(name, await writeDurably(folder, name, batch))
    },
    async keepRejected(key, batch) {
      await writeDurably(folder, `${sha256(key)}${extension}.rejected`, batch)
    },
    async removeFirst() {
      const name = firstName()
      if (name === undefined) return
      await unlink(join(folder, name))
      setSize(name, undefined)
    },
    close: () => lock.release(),
  }
}
