import type { Bytes, GeneratedText, StoredBytes } from '@patchbay/contract/endpoint'
import { ApiError } from '@patchbay/contract/errors'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'

/** Answers of bytes; parts of what is stored are answered as RFC 9110 §14 has it. */

export interface ByteRange {
  first: number
  last: number
}

/**
 * What a Range header asks for of so many bytes: all of it where it asks for nothing that is understood, as RFC 9110
 * §14.2 allows for several parts; undefined where nothing of it is there.
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

/** A part is asked for with GET alone; where it is of a version (If-Range), which nothing here has, all is answered. */
const askedPart = ({ method, headers }: FastifyRequest, size: number): ByteRange | 'all' | undefined =>
  method === 'GET' && headers['if-range'] === undefined ? parseRange(headers.range, size) : 'all'

const sendStored = async (
  request: FastifyRequest,
  reply: FastifyReply,
  { size, read }: StoredBytes,
  signal: AbortSignal,
): Promise<Readable> => {
  const part = askedPart(request, size)
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

/** What is made for longer than this is given up: milliseconds. */
const longestMade = 1_800_000

/** The first chunk is made before the response begins, so that a failure or a refusal has a status of its own. */
const sendMade = async ({ make }: GeneratedText, signal: AbortSignal): Promise<Readable> => {
  const made = make(AbortSignal.any([signal, AbortSignal.timeout(longestMade)]))[Symbol.asyncIterator]()
  const first = await made.next()
  const all = async function* () {
    try {
      if (!first.done) yield first.value
      for (let next = await made.next(); !next.done; next = await made.next()) yield next.value
    } finally {
      await made.return?.()
    }
  }
  return Readable.from(all(), { objectMode: false })
}

/** Who goes away ends the reading. */
export const sendBytes = async (
  request: FastifyRequest,
  reply: FastifyReply,
  { type, content, headers = {} }: Bytes,
  signal: AbortSignal,
): Promise<FastifyReply> => {
  const send = async () => {
    if (content instanceof Uint8Array) return content
    if ('make' in content) return request.method === 'HEAD' ? '' : sendMade(content, signal)
    return sendStored(request, reply, content, signal)
  }
  const sent = await send()
  return reply.headers(headers).type(type).send(sent)
}
