import { type ResponseHead, readBody, type TransferLimits, type Transport } from './transport.ts'

/** The part of `fetch` that libraries use: whole bodies, and no redirects. */
export type TransportFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const withoutBody = new Set([204, 205, 304])

/** Returns the bytes of a body and, for forms, the header that names their type. */
export const encodeBody = async (body: Uint8Array | RequestInit['body']): Promise<EncodedBody> => {
  if (body === undefined || body === null) return { content: undefined, headers: {} }
  if (typeof body === 'string' || body instanceof Uint8Array) return { content: body, headers: {} }
  const encoded = new Response(body)
  const type = encoded.headers.get('content-type')
  return { content: Buffer.from(await encoded.arrayBuffer()), headers: type === null ? {} : { 'content-type': type } }
}

interface EncodedBody {
  content: string | Uint8Array | undefined
  headers: Readonly<Record<string, string>>
}

const withStatus = ({ status, statusText, headers }: ResponseHead, content: Buffer): Response => {
  if (status < 200 || status > 599) throw new Error(`The peer answered with status ${status}`)
  const body = withoutBody.has(status) ? null : new Uint8Array(content)
  return new Response(body, { status, statusText, headers: { ...headers } })
}

/**
 * Creates a `fetch` for libraries that accept one. The response body is read completely, within the limits, before the
 * promise resolves. Like the built-in `fetch`, it rejects with the reason of the signal, or else with a TypeError that
 * contains the error as its cause.
 */
export const createFetch =
  (transport: Transport, limits: Partial<TransferLimits>): TransportFetch =>
  async (url, { method = 'GET', headers, body, signal } = {}) => {
    const encoded = await encodeBody(body)
    try {
      const response = await transport.send(url, {
        method,
        headers: { ...encoded.headers, ...Object.fromEntries(new Headers(headers)) },
        body: encoded.content,
        signal: signal ?? undefined,
        limits,
      })
      return withStatus(response, await readBody(response))
    } catch (error) {
      signal?.throwIfAborted()
      throw new TypeError('fetch failed', { cause: error })
    }
  }
