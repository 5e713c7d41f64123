import type { FastifyRequest } from 'fastify'
import { finished } from 'node:stream/promises'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import { getErrorCode } from '../../lib/error-code.ts'
import type { RunStep } from '../../lib/fair-queue.ts'
import type { Reservation } from './memory-budget.ts'
import { Refusal } from './ingest-error.ts'

/** Bodies of requests: how they are read, and how much of them. */

const tooLarge = () => new Refusal(413, 'the body is too large')
const busy = () => new Refusal(503, 'too much is at work, send it again')
/** Reads the body as far as it may be kept. Node throws away what is left unread. */
export const receive = async (
  { raw }: FastifyRequest,
  limit: number,
  mayKeep: (bytes: number) => boolean,
): Promise<Buffer> => {
  if (Number(raw.headers['content-length'] ?? 0) > limit) throw tooLarge()
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of raw.iterator({ destroyOnReturn: false })) {
    // A request without an encoding set gives buffers.
    const bytes = chunk as Buffer
    length += bytes.length
    if (length > limit) throw tooLarge()
    if (!mayKeep(bytes.length)) throw busy()
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** Reads it to its end, and keeps nothing. */
export const drop = async ({ raw }: FastifyRequest): Promise<void> => {
  raw.resume()
  await finished(raw)
}

const isPacked = ({ headers }: FastifyRequest): boolean => headers['content-encoding']?.toLowerCase() === 'gzip'

/** No further than there is room: what is refused should not have cost it. */
const unpack = async (body: Buffer, limit: number, room: number): Promise<Buffer> => {
  try {
    return await promisify(gunzip)(body, { maxOutputLength: Math.min(limit, room) })
  } catch (error) {
    if (getErrorCode(error) === 'ERR_BUFFER_TOO_LARGE') throw room < limit ? busy() : tooLarge()
    throw new Refusal(400, 'the body is not valid gzip')
  }
}

/** What a request costs beside its body. */
const bytesOfRequest = 16 * 1024

/** A body, unpacked. Of what was sent nothing else is kept. */
export const readBody = async (
  request: FastifyRequest,
  limit: number,
  { take, release, room }: Reservation,
  runStep: RunStep,
): Promise<Buffer> => {
  if (!take(bytesOfRequest)) throw busy()
  const packed = await receive(request, limit, take)
  if (!isPacked(request)) return packed
  const body = await runStep(() => unpack(packed, limit, Math.max(1, room())))
  release()
  if (!take(bytesOfRequest + body.length)) throw busy()
  return body
}
