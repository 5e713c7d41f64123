import { Refused } from '@patchbay/contract/errors'
import { membersOf } from '@patchbay/contract/rules/traces'
import { boundedBytes } from '../bounded-bytes.ts'
import type { Traces } from './traces.ts'
import { wireSpansOf } from './wire-spans.ts'

/** Traces from a platform's Jaeger, by its query API v3 (api/4-calls-and-hosted.md §2.1). */

/** Undefined where the answer is not that all is well. The wire calls it 404 too when nobody answers. */
const textAt = async (url: string, stop: AbortSignal): Promise<string | undefined> => {
  try {
    const answer = await fetch(url, { redirect: 'manual', signal: stop })
    if (answer.ok) return (await boundedBytes(answer)).toString('utf8')
    await answer.body?.cancel()
    return undefined
  } catch {
    throw new Refused('traces_away')
  }
}

/** The answer is one JSON text, or several, each on a line of its own, as gRPC gateways stream them. */
const resultsIn = (text: string): unknown[] => {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  try {
    return [JSON.parse(text)]
  } catch {
    return lines.map((line): unknown => JSON.parse(line))
  }
}

/** `base` is the query service's address, as `http://jaeger:16686`. */
export const createJaegerTraces = (base: string, timeoutSeconds = 15): Traces => ({
  async read(trace_id) {
    const url = `${base.replace(/\/+$/, '')}/api/v3/traces/${trace_id}`
    const text = await textAt(url, AbortSignal.timeout(timeoutSeconds * 1000))
    if (text === undefined) return undefined
    const all = resultsIn(text).flatMap((result) => {
      const { resourceSpans } = membersOf(membersOf(result)['result'])
      return Array.isArray(resourceSpans) ? (resourceSpans as unknown[]) : []
    })
    const parts = wireSpansOf(all).traces.get(trace_id)
    return parts && { resourceSpans: parts }
  },
})
