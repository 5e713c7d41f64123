import type { HelperMessage } from './helper-process.ts'

/**
 * Serves the requests that helper-process.ts sends to this process.
 * @param handle returns the reply. What it throws is the error of the request
 */
export const serveRequests = <Reply>(handle: (request: never) => Promise<Reply> | Reply): void => {
  // A terminal and systemd send these to all processes, but the server still needs this one while it shuts down.
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  // The server has ended, even if it was killed.
  process.once('disconnect', () => process.exit())
  const answer = async (id: number, request: never): Promise<HelperMessage<Reply>> => {
    try {
      return { id, reply: await handle(request) }
    } catch (error) {
      return { id, problem: error instanceof Error ? error.message : String(error) }
    }
  }
  process.on('message', ({ id, request }: { id: number; request: never }) => {
    void answer(id, request).then((message) => process.send?.(message))
  })
}
