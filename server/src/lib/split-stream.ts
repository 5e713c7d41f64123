/**
 * Splits a stream of bytes into buffers of requested sizes. The last buffer can be smaller. An empty stream has no
 * buffers.
 * @param getSize returns the size of a buffer in bytes, by its position from 0
 */
export async function* splitStream(
  source: AsyncIterable<Uint8Array>,
  getSize: (position: number) => number,
): AsyncGenerator<Buffer> {
  let pending: Uint8Array[] = []
  let pendingBytes = 0
  let position = 0
  for await (const piece of source) {
    pending.push(piece)
    pendingBytes += piece.length
    if (pendingBytes < getSize(position)) continue
    const bytes = Buffer.concat(pending)
    let start = 0
    for (let size = getSize(position); bytes.length - start >= size; size = getSize(position)) {
      yield bytes.subarray(start, start + size)
      start += size
      position += 1
    }
    pending = [bytes.subarray(start)]
    pendingBytes = bytes.length - start
  }
  if (pendingBytes > 0) yield Buffer.concat(pending)
}
