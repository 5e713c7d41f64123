import { type Encoding, partialSuccess } from './otlp-encoding.ts'
import { scanJson } from './otlp-scan.ts'

/** OTLP over HTTP for traces: the JSON encoding, and the choice of the encoding. */

const jsonBytes = (value: object): Buffer => Buffer.from(JSON.stringify(value))

export const jsonEncoding: Encoding = {
  type: 'application/json',
  read: (body) => {
    scanJson(body)
    const request: unknown = JSON.parse(body.toString('utf8'))
    if (typeof request !== 'object' || request === null) throw new Error('no object')
    return Reflect.get(request, 'resourceSpans')
  },
  success: (outcome) => jsonBytes(partialSuccess(outcome)),
  failure: (message) => jsonBytes({ message }),
}

/**
 * Returns the encoding for a Content-Type, or undefined if OTLP does not define it. The library for protobuf is loaded
 * with the first request that needs it, because few installations receive traces.
 */
export const findEncoding = async (contentType: string | undefined): Promise<Encoding | undefined> => {
  const type = (contentType ?? '').toLowerCase().split(';')[0]?.trim()
  if (type === jsonEncoding.type) return jsonEncoding
  if (type === 'application/x-protobuf') return (await import('./otlp-protobuf.ts')).protobufEncoding
  return undefined
}
