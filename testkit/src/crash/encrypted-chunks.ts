/** Streams of bytes, and damaged copies of encrypted ones. */

/** Yields pieces of an odd size, so that no piece ends where a chunk ends. */
export async function* inPieces(bytes: Buffer, size = 10_007): AsyncGenerator<Buffer> {
  for (let start = 0; start < bytes.length; start += size)
    yield await Promise.resolve(bytes.subarray(start, start + size))
}

export const collect = async (pieces: AsyncIterable<Buffer>): Promise<Buffer> => {
  const all: Buffer[] = []
  for await (const piece of pieces) all.push(piece)
  return Buffer.concat(all)
}

/**
 * Returns copies of an encrypted stream with missing, added, and exchanged chunks, by what is wrong with them.
 * @param encrypted a header and three chunks
 * @param sealedBytes size of an encrypted chunk with its tag
 */
export const damageChunks = (encrypted: Buffer, sealedBytes: number): Readonly<Record<string, Buffer>> => {
  const headerBytes = encrypted.length - 3 * sealedBytes
  const header = encrypted.subarray(0, headerBytes)
  const chunk = (nth: number) =>
    encrypted.subarray(headerBytes + nth * sealedBytes, headerBytes + (nth + 1) * sealedBytes)
  return {
    'without the last chunk': Buffer.concat([header, chunk(0), chunk(1)]),
    'without the first chunk': Buffer.concat([header, chunk(1), chunk(2)]),
    'with exchanged chunks': Buffer.concat([header, chunk(1), chunk(0), chunk(2)]),
    'with a repeated chunk': Buffer.concat([header, chunk(0), chunk(1), chunk(2), chunk(2)]),
    'with bytes after its end': Buffer.concat([encrypted, Buffer.from('x')]),
    'that ends inside a chunk': encrypted.subarray(0, -100),
    'that ends in the header': encrypted.subarray(0, 40),
    'without chunks': header,
  }
}
