import type { FastifyReply } from 'fastify'

/** Aborted when the connection closes before it was answered. */
export const goneOf = ({ raw }: FastifyReply): AbortController => {
  const gone = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) gone.abort()
  })
  return gone
}
