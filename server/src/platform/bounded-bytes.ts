/** An answer of another service has so many bytes at most: a call has a few megabytes of them, whatever is asked. */
const mostBytes = 64 * 1024 * 1024

/** The body of an answer; throws beyond what is taken of one. */
export const boundedBytes = async ({ body, url }: Response): Promise<Buffer> => {
  const parts: Uint8Array[] = []
  let length = 0
  for await (const part of body ?? []) {
    length += part.length
    if (length > mostBytes) throw new Error(`the answer of ${new URL(url).host} is larger than ${mostBytes} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}
