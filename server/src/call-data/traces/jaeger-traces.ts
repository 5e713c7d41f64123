import { ApiError } from '@patchbay/contract/api/errors'
import { asArray, asRecord } from '@patchbay/rules/traces/traces'
import { mebibyte, operatorTransport, readBody } from '../../adapters/outbound-http/transport.ts'
import { withoutTrailingSlashes } from '../../lib/trailing-slashes.ts'
import { toResponseSpans } from './trace-response.ts'
import type { Traces } from './traces.ts'

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

/** Returns the resource spans of a result. A stream that fails ends with an error in the place of a result. */
const readResourceSpans = (part: unknown): readonly unknown[] => {
  const { result, error } = asRecord(part)
  if (error !== undefined || typeof result !== 'object') throw new Error('Jaeger returned no result')
  return asArray(asRecord(result)['resourceSpans'])
}

/** Returns undefined if Jaeger does not have the trace, or rejects its id. */
const fetchResourceSpans = async (url: string, timeoutMs: number): Promise<unknown[] | undefined> => {
  const response = await operatorTransport.send(url, {
    service: 'jaeger',
    continuesTrace: true,
    limits: { maxResponseBytes, timeoutMs },
  })
  const { status } = response
  const body = (await readBody(response)).toString('utf8')
  if (status === 404 || status === 400) return undefined
  if (status !== 200) throw new Error(`Jaeger answered with status ${status}`)
  return parseResults(body).flatMap(readResourceSpans)
}

/** Creates the trace reader. `base` is the URL of the query service, such as `http://jaeger:16686`. */
export const createJaegerTraces = (base: string, timeoutSeconds = 15): Traces => ({
  /** @throws ApiError `traces_unavailable` (a 404 in the API) if Jaeger does not respond as documented */
  async read(trace_id) {
    const url = `${withoutTrailingSlashes(base)}/api/v3/traces/${trace_id}`
    try {
      const all = await fetchResourceSpans(url, timeoutSeconds * 1000)
      const parts = all && toResponseSpans(all).traces.get(trace_id)
      return parts && { resourceSpans: parts }
    } catch (error) {
      throw Object.assign(new ApiError('traces_unavailable'), { cause: error })
    }
  },
})
