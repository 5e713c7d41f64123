import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { getPort } from '../servers/ports.ts'

/** A span as OTLP/JSON encodes it, with its attributes as an object. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  /** Empty for the first span of a trace. */
  parentSpanId: string
  name: string
  kind: number
  startMs: number
  endMs: number
  /** Whether the status is an error. */
  hasFailed: boolean
  attributes: Record<string, unknown>
  /** Attributes of the process. */
  resource: Record<string, unknown>
}

/** A receiver of traces that records OTLP/JSON. */
export interface OtlpReceiver {
  /** Base URL, for OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string
  spans: ReceivedSpan[]
  /** Bodies of the exports. */
  bodies: string[]
  headers: IncomingMessage['headers'][]
  /** Replaces the regular response of the following requests. */
  answer: ((response: ServerResponse) => unknown) | undefined
  stop(): Promise<void>
}

interface KeyValue {
  key: string
  value: Record<string, unknown>
}

interface OtlpSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  status?: { code?: number }
  attributes: KeyValue[]
}

interface OtlpExport {
  resourceSpans: { resource: { attributes: KeyValue[] }; scopeSpans: { spans: OtlpSpan[] }[] }[]
}

/** OTLP/JSON writes integers as text, and also accepts numbers. */
const toValue = (value: KeyValue['value']): unknown =>
  'intValue' in value ? Number(value['intValue']) : Object.values(value)[0]

const toObject = (attributes: readonly KeyValue[]): Record<string, unknown> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, toValue(value)]))

const toMs = (nanoseconds: string): number => Number(BigInt(nanoseconds) / 1000n) / 1000

const readSpans = (body: string): ReceivedSpan[] =>
  (JSON.parse(body) as OtlpExport).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ traceId, spanId, parentSpanId = '', name, kind, status, attributes, ...times }) => ({
        traceId,
        spanId,
        parentSpanId,
        name,
        kind,
        startMs: toMs(times.startTimeUnixNano),
        endMs: toMs(times.endTimeUnixNano),
        hasFailed: status?.code === 2,
        attributes: toObject(attributes),
        resource: toObject(resource.attributes),
      })),
    ),
  )

export const startOtlpReceiver = async (): Promise<OtlpReceiver> => {
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks = await request.toArray()
    receiver.headers.push(request.headers)
    if (receiver.answer) return void receiver.answer(response)
    const bytes = Buffer.concat(chunks as Buffer[])
    const body = (request.headers['content-encoding'] === 'gzip' ? gunzipSync(bytes) : bytes).toString()
    receiver.bodies.push(body)
    receiver.spans.push(...readSpans(body))
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }
  const server = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const receiver: OtlpReceiver = {
    url: `http://127.0.0.1:${getPort(server)}`,
    spans: [],
    bodies: [],
    headers: [],
    answer: undefined,
    async stop() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
  return receiver
}
