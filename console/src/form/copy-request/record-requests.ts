import { ApiError } from '../../api/api-error.ts'
import { transport } from '../../api/client.ts'
import { queryClient } from '../../api/query-client.ts'
import { createToken } from '../../ui/request-code/request-code.ts'

/** A request that was not sent. */
export interface RecordedRequest {
  method: string
  url: string
  body: unknown
  /** Stands for the SID in the response, in later requests. */
  sid: string
}

let isRecording = false

/**
 * Returns the answer of a server that has done what was requested: a SID, and a value that is true for everything else
 * that a save asks.
 */
const createAnswer = (sid: string): object =>
  new Proxy(
    {},
    // A member `then` would make the answer a promise.
    { get: (_, name) => (name === 'sid' ? sid : name !== 'then') },
  )

/**
 * Returns the requests that a save would send, without sending them. Reads are sent, because a save can depend on them.
 * Everything else that a save does after its requests is left out: actions end before their success is handled.
 * @param sendRequests the save, or its requests alone
 * @param signal aborts the recording. Requests that follow fail, because a user must not believe that they were sent.
 * @throws what `sendRequests` throws
 */
export const recordRequests = async (
  sendRequests: () => Promise<unknown>,
  signal: AbortSignal,
): Promise<RecordedRequest[]> => {
  if (isRecording) throw new ApiError('rejected', 0, 'The requests of another form are being read. Try again')
  isRecording = true
  const recorded: RecordedRequest[] = []
  const { send } = transport
  const { config } = queryClient.getMutationCache()
  const { onSuccess } = config
  const earlierActions = new Set<unknown>(queryClient.getMutationCache().getAll())
  // Forms say nothing of a session that ended, so the error of an action that ends here has that kind.
  const end = new ApiError('session-ended', 0, 'The requests were recorded, not sent')

  transport.send = (method, address, input, options, tag) => {
    // The renewal of the session is none of the form.
    if (method === 'GET' || options.background || options.ownFailures) return send(method, address, input, options, tag)
    if (signal.aborted) return Promise.reject(new DOMException('The recording was aborted', 'AbortError'))
    const sid = createToken('sid')
    recorded.push({ method, url: new URL(address, window.location.origin).href, body: input.body, sid })
    return Promise.resolve(Object.assign(new Response(), { json: () => Promise.resolve(createAnswer(sid)) }))
  }
  config.onSuccess = (...action) => {
    if (!earlierActions.has(action[3])) throw end
    return onSuccess?.(...action)
  }
  try {
    await sendRequests()
  } catch (error) {
    if (error !== end) throw error
  } finally {
    transport.send = send
    config.onSuccess = onSuccess
    isRecording = false
  }
  return recorded
}
