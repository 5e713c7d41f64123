import type { FastifyReply } from 'fastify'

/** Returns a controller that aborts when the connection closes before the response has been sent. */
export const abortOnDisconnect = ({ raw }: FastifyReply): AbortController => {
  const controller = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort()
  })
  return controller
}
