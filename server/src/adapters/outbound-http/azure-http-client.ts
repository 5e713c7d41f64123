import type { Readable } from 'node:stream'
import type { StoragePipelineOptions } from '@azure/storage-blob'
import { readBody, type TransferLimits, type Transport, type TransportResponse } from './transport.ts'

type AzureHttpClient = NonNullable<StoragePipelineOptions['httpClient']>
type AzureRequest = Parameters<AzureHttpClient['sendRequest']>[0]

/** Returns the body, which is a string, bytes, a Node stream, or a function that returns one of these. */
const getBody = ({ body }: AzureRequest): string | Uint8Array | Readable | undefined => {
  const content: unknown = typeof body === 'function' ? (body as () => unknown)() : body
  if (content instanceof ArrayBuffer) return new Uint8Array(content)
  return content as string | Uint8Array | Readable | undefined
}

const byteLength = (body: string | Uint8Array | Readable | undefined): number | undefined => {
  if (typeof body === 'string') return Buffer.byteLength(body)
  return body instanceof Uint8Array ? body.length : undefined
}

/** Without this, the SDK would follow up to twenty redirects, to any host. */
const withoutRedirect = ({ location: _location, ...headers }: TransportResponse['headers']) => headers

const headersFor = (request: AzureRequest, { headers }: TransportResponse): AzureRequest['headers'] => {
  const result = request.headers.clone()
  for (const { name } of result.headersArray()) result.remove(name)
  for (const [name, value] of Object.entries(withoutRedirect(headers))) result.set(name, value)
  return result
}

const wantsStream = ({ streamResponseStatusCodes: statuses }: AzureRequest, status: number): boolean =>
  statuses?.has(Number.POSITIVE_INFINITY) === true || statuses?.has(status) === true

/** Converts the SDK's own kind of abort signal to a standard AbortSignal. */
const toAbortSignal = ({ abortSignal }: AzureRequest): AbortSignal | undefined => {
  if (abortSignal === undefined || abortSignal instanceof AbortSignal) return abortSignal
  const controller = new AbortController()
  if (abortSignal.aborted) controller.abort()
  else abortSignal.addEventListener('abort', () => controller.abort())
  return controller.signal
}

/** Creates the `httpClient` for clients of the Azure SDK, which sends their requests through a transport. */
export const createAzureHttpClient = (transport: Transport, limits: Partial<TransferLimits>): AzureHttpClient => ({
  async sendRequest(request) {
    const body = getBody(request)
    const headers = Object.fromEntries(
      request.headers.headersArray().map(({ name, value }) => [name.toLowerCase(), value]),
    )
    const length = byteLength(body)
    const response = await transport.send(request.url, {
      method: request.method,
      headers: { ...(length === undefined ? {} : { 'content-length': String(length) }), ...headers },
      body,
      signal: toAbortSignal(request),
      limits,
    })
    const { status } = response
    const head = { request, status, headers: headersFor(request, response) }
    if (wantsStream(request, status)) return { ...head, readableStreamBody: response.body }
    return { ...head, bodyAsText: (await readBody(response)).toString('utf8') }
  },
})
