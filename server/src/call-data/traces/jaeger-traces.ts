import { withoutTrailingSlashes } from '@patchbay/contract/shared/trailing-slashes'
import { ApiError } from '@patchbay/contract/errors'
import { asRecord } from '@patchbay/contract/shared/traces'
import { mebibyte, operatorTransport, readBody } from '../../adapters/outbound-http/transport.ts'
import type { Traces } from './traces.ts'
import { toResponseSpans } from './trace-response.ts'

/** Traces from a platform's Jaeger, by its query API v3 (api/4-calls-and-hosted.md §2.1). */

const maxResponseBytes = 16 * mebibyte

/** Reads one JSON text, or several, each on a line of its own, as gRPC gateways stream them. Throws for anything else. */
const resultsIn = (text: string): unknown[] => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  try {
    return [JSON.parse(text)]
  } catch {
    return lines.map((line): unknown => JSON.parse(line))
  }
}

/**
 * Returns undefined if Jaeger answers with an error status, such as 404 for a trace that it does not know.
 *
 * @throws Refused `traces_away` (404, as the wire has it) if Jaeger does not respond, or with something unreadable
 */
const resultsAt = async (url: string, timeoutMs: number): Promise<unknown[] | undefined> => {
  try {
    const response = await operatorTransport.send(url, { limits: { maxResponseBytes, timeoutMs } })
    const body = await readBody(response)
    return response.status >= 200 && response.status <= 299 ? resultsIn(body.toString('utf8')) : undefined
  } catch (error) {
    throw Object.assign(new ApiError('traces_away'), { cause: error })
  }
}

/** `base` is the query service's address, as `http://jaeger:16686`. */
export const createJaegerTraces = (base: string, timeoutSeconds = 15): Traces => ({
  async read(trace_id) {
    const url = `${withoutTrailingSlashes(base)}/api/v3/traces/${trace_id}`
    const results = await resultsAt(url, timeoutSeconds * 1000)
    if (results === undefined) return undefined
    const all = results.flatMap((result) => {
      const { resourceSpans } = asRecord(asRecord(result)['result'])
      return Array.isArray(resourceSpans) ? (resourceSpans as unknown[]) : []
    })
    const parts = toResponseSpans(all).traces.get(trace_id)
    return parts && { resourceSpans: parts }
  },
})
