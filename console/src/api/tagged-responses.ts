/**
 * The last responses that have an entity tag. A read of the same URL sends the tag, and the server answers 304 without a
 * body if nothing has changed. The browser does not do this itself, because it must not store responses (`no-store`).
 */

export interface TaggedResponse {
  tag: string
  /** The parsed body. All readers share it, so that a refresh without changes renders nothing again. */
  body: unknown
}

/** A screen makes up to ten reads. Older responses are dropped, because each can have thousands of rows. */
const maxResponses = 30

const responses = new Map<string, TaggedResponse>()

/** Returns the last response of a URL, or undefined if it has no tag. */
export const findTaggedResponse = (url: string): TaggedResponse | undefined => responses.get(url)

/** Keeps the body of a response if the server has tagged it. A server on another origin can hide its tags. */
export const keepTaggedResponse = (url: string, { headers }: Response, body: unknown): void => {
  const tag = headers.get('etag')
  responses.delete(url)
  if (tag === null) return
  responses.set(url, { tag, body })
  const [oldest] = responses.keys()
  if (responses.size > maxResponses && oldest !== undefined) responses.delete(oldest)
}

/** Drops all responses, because the session has ended. */
export const forgetTaggedResponses = (): void => responses.clear()
