import type { FastifyReply } from 'fastify'

/** Aborted when the connection closes before it was answered. */
export const abortOnDisconnect = ({ raw }: FastifyReply): AbortController => {
  const controller = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort()
  })
  return controller
}
