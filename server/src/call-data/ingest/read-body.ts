import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { getErrorCode } from '../../lib/error-code.ts'
import type { RunStep } from '../../lib/fair-queue.ts'
import type { Reservation } from '../../lib/memory-budget.ts'
import { IngestError } from './ingest-error.ts'

/** Reads request bodies with limits for size and memory. */

const tooLarge = () => new IngestError(413, 'the body is too large')
const busy = () => new IngestError(503, 'too many concurrent requests; send it again')
/** Reads the body while `canKeep` allows it. Node discards the unread rest. */
export const receive = async (
  { raw }: FastifyRequest,
  limit: number,
  canKeep: (bytes: number) => boolean,
): Promise<Buffer> => {
  if (Number(raw.headers['content-length'] ?? 0) > limit) throw tooLarge()
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
    // Without a stream encoding, the chunks are buffers.
    const bytes = chunk as Buffer
    length += bytes.length
    if (length > limit) throw tooLarge()
    if (!canKeep(bytes.length)) throw busy()
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** Reads the body to its end and discards it. */
export const drop = async ({ raw }: FastifyRequest): Promise<void> => {
  raw.resume()
  await finished(raw)
}

/**
 * Returns whether the body is compressed with gzip, which the writers of the platform use.
 * @throws IngestError for other encodings
 */
const isPacked = ({ headers }: FastifyRequest, reply: FastifyReply): boolean => {
  const encoding = headers['content-encoding']?.toLowerCase() ?? 'identity'
  // RFC 9110, section 8.4.1.3, declares both names equal.
  if (encoding === 'gzip' || encoding === 'x-gzip') return true
  if (encoding === 'identity') return false
  void reply.header('accept-encoding', 'gzip')
  throw new IngestError(415, 'the encoding of the body must be gzip or identity')
}

/** Decompresses only as far as the memory budget allows, so that a rejected body costs no more than that. */
const unpack = async (body: Buffer, limit: number, room: number): Promise<Buffer> => {
  try {
    return await promisify(gunzip)(body, { maxOutputLength: Math.min(limit, room) })
  } catch (error) {
    if (getErrorCode(error) === 'ERR_BUFFER_TOO_LARGE') throw room < limit ? busy() : tooLarge()
    throw new IngestError(400, 'the body is not valid gzip')
  }
}

/** Memory of a request besides its body. */
const requestOverheadBytes = 16 * 1024

/** Returns the decompressed body. Afterwards, the reservation covers only the decompressed body. */
export const readBody = async (
  request: FastifyRequest,
  reply: FastifyReply,
  limit: number,
  { take, release, room }: Reservation,
  runStep: RunStep,
): Promise<Buffer> => {
  const isCompressed = isPacked(request, reply)
  if (!take(requestOverheadBytes)) throw busy()
  const packed = await receive(request, limit, take)
  if (!isCompressed) return packed
  const body = await runStep(() => unpack(packed, limit, Math.max(1, room())))
  release()
  if (!take(requestOverheadBytes + body.length)) throw busy()
  return body
}
