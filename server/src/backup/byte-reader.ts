import { createHash, type Hash } from 'node:crypto'
import { DamagedBackupError } from './backup-error.ts'

/** Reads a stream of bytes in pieces of requested sizes, and hashes what it has read. */
export interface ByteReader {
  /** Returns exactly this number of bytes. Throws a DamagedBackupError if the stream ends before. */
  read(bytes: number): Promise<Buffer>
  /** Returns up to this number of bytes, and at least one unless the stream has ended. */
  readSome(maxBytes: number): Promise<Buffer>
  /** Returns whether the stream has no more bytes. */
  isAtEnd(): Promise<boolean>
  /** SHA-256 of all bytes read so far. */
  digest(): Buffer
}

const empty = Buffer.alloc(0)

export const createByteReader = (source: AsyncIterable<Buffer>): ByteReader => {
  const chunks = source[Symbol.asyncIterator]()
  const hash: Hash = createHash('sha256')
  let rest: Buffer = empty
  const fill = async (): Promise<boolean> => {
    while (rest.length === 0) {
      const next = await chunks.next()
      if (next.done) return false
      rest = next.value
    }
    return true
  }
  const readSome = async (maxBytes: number): Promise<Buffer> => {
    if (maxBytes === 0 || !(await fill())) return empty
    const piece = rest.subarray(0, maxBytes)
    rest = rest.subarray(piece.length)
    hash.update(piece)
    return piece
  }
  return {
    readSome,
    async read(bytes) {
      const pieces: Buffer[] = []
      for (let missing = bytes; missing > 0; ) {
        const piece = await readSome(missing)
        if (piece.length === 0) throw new DamagedBackupError('the file is incomplete')
        pieces.push(piece)
        missing -= piece.length
      }
      return pieces.length === 1 ? (pieces[0] ?? empty) : Buffer.concat(pieces)
    },
    isAtEnd: async () => !(await fill()),
    digest: () => hash.copy().digest(),
  }
}
