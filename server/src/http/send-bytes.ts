import { Readable } from 'node:stream'
import type { Bytes, GeneratedText, StoredBytes } from '@patchbay/contract/api/endpoint'
import { ApiError } from '@patchbay/contract/api/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** Sends binary responses. Stored content supports range requests (RFC 9110 §14). */

export interface ByteRange {
  first: number
  last: number
}

/**
 * Parses a Range header for content of `size` bytes. Returns `all` if the header is not understood or names several
 * ranges, which RFC 9110 §14.2 allows, and undefined if no byte of the range exists.
 */
export const parseRange = (range: string | undefined, size: number): ByteRange | 'all' | undefined => {
  const [, from = '', until = ''] = /^bytes=(\d*)-(\d*)$/i.exec(range?.trim() ?? '') ?? []
  if (from === '' && until === '') return 'all'
  const end = size - 1
  if (from === '')
    return until === '0' || size === 0 ? undefined : { first: Math.max(0, size - Number(until)), last: end }
  const first = Number(from)
  if (until !== '' && Number(until) < first) return 'all'
  return first > end ? undefined : { first, last: until === '' ? end : Math.min(Number(until), end) }
}

/**
 * Returns the requested range. Ranges apply to GET only. With If-Range the whole content is returned, because
 * Patchbay's content has no versions.
 */
const getRequestedRange = ({ method, headers }: FastifyRequest, size: number): ByteRange | 'all' | undefined =>
  method === 'GET' && headers['if-range'] === undefined ? parseRange(headers.range, size) : 'all'

const sendStored = async (
  request: FastifyRequest,
  reply: FastifyReply,
  { size, read }: StoredBytes,
  signal: AbortSignal,
): Promise<Readable> => {
  const part = getRequestedRange(request, size)
  if (part === undefined) {
    void reply.header('content-range', `bytes */${size}`)
    throw new ApiError('range_not_satisfiable')
  }
  const { first, last } = part === 'all' ? { first: 0, last: size - 1 } : part
  const content = request.method === 'HEAD' || size === 0 ? [] : await read(first, last, signal)
  if (part !== 'all') void reply.code(206).header('content-range', `bytes ${first}-${last}/${size}`)
  void reply.header('accept-ranges', 'bytes').header('content-length', last - first + 1)
  return Readable.from(content)
}

/** Time limit for generated content, in milliseconds. */
const generationTimeoutMs = 1_800_000

/** Generates the first chunk before the response starts, so that an early error gets its own status. */
const sendGenerated = async ({ make }: GeneratedText, signal: AbortSignal): Promise<Readable> => {
  const chunks = make(AbortSignal.any([signal, AbortSignal.timeout(generationTimeoutMs)]))[Symbol.asyncIterator]()
  const first = await chunks.next()
  const allChunks = async function* () {
    try {
      if (!first.done) yield first.value
      for (let next = await chunks.next(); !next.done; next = await chunks.next()) yield next.value
    } finally {
      await chunks.return?.()
    }
  }
  return Readable.from(allChunks(), { objectMode: false })
}

/** Sends a response. Reading stops when the client disconnects. */
export const sendBytes = async (
  request: FastifyRequest,
  reply: FastifyReply,
  { type, content, headers = {} }: Bytes,
  signal: AbortSignal,
): Promise<FastifyReply> => {
  const send = async () => {
    if (content instanceof Uint8Array) return content
    if ('make' in content) return request.method === 'HEAD' ? '' : sendGenerated(content, signal)
    return sendStored(request, reply, content, signal)
  }
  const payload = await send()
  return reply.headers(headers).type(type).send(payload)
}
