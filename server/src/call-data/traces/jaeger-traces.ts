import { withoutTrailingSlashes } from '@patchbay/contract/shared/trailing-slashes'
import { ApiError } from '@patchbay/contract/errors'
import { asRecord } from '@patchbay/contract/shared/traces'
import { mebibyte, operatorTransport, readBody } from '../../adapters/outbound-http/transport.ts'
import type { Traces } from './traces.ts'
import { toResponseSpans } from './trace-response.ts'

/** Traces from a Jaeger server through its query API v3 (docs/reference/platform-api/traces-and-captures.md#traces). */

const maxResponseBytes = 16 * mebibyte

/** Parses one JSON value, or one per line as gRPC gateways stream them. Throws if the text is invalid. */
const parseResults = (text: string): unknown[] => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  try {
    return [JSON.parse(text)]
  } catch {
    return lines.map((line): unknown => JSON.parse(line))
  }
}

/**
 * Returns undefined if Jaeger responds with an error status, such as 404 for an unknown trace.
 *
 * @throws ApiError `traces_away` (a 404 in the API) if Jaeger does not respond or the response is invalid
 */
const fetchResults = async (url: string, timeoutMs: number): Promise<unknown[] | undefined> => {
  try {
    const response = await operatorTransport.send(url, { limits: { maxResponseBytes, timeoutMs } })
    const body = await readBody(response)
    return response.status >= 200 && response.status <= 299 ? parseResults(body.toString('utf8')) : undefined
  } catch (error) {
    throw Object.assign(new ApiError('traces_away'), { cause: error })
  }
}

/** Creates the trace reader. `base` is the URL of the query service, such as `http://jaeger:16686`. */
export const createJaegerTraces = (base: string, timeoutSeconds = 15): Traces => ({
  async read(trace_id) {
    const url = `${withoutTrailingSlashes(base)}/api/v3/traces/${trace_id}`
    const results = await fetchResults(url, timeoutSeconds * 1000)
    if (results === undefined) return undefined
    const all = results.flatMap((result) => {
      const { resourceSpans } = asRecord(asRecord(result)['result'])
      return Array.isArray(resourceSpans) ? (resourceSpans as unknown[]) : []
    })
    const parts = toResponseSpans(all).traces.get(trace_id)
    return parts && { resourceSpans: parts }
  },
})
