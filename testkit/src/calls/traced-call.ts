import { type Context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as HttpExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtoExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { callSpans, type SpannedCall } from '@patchbay/server/demo/call-spans'
import { createRandom } from '@patchbay/server/demo/seeded-random'

/** A voice bot call with a trace from the OpenTelemetry SDK, like the platform's feature server creates it. */
export interface TracedCall extends Partial<SpannedCall> {
  /** URL of the trace intake, such as http://127.0.0.1:4318. */
  url: string
  /** protobuf or JSON */
  encoding?: 'proto' | 'http'
  gzip?: boolean
  headers?: Record<string, string>
  account_sid: string
  call_sid: string
  /** Start of the call, in milliseconds since the Unix epoch. */
  at?: number
}

/** Attributes of every span of the platform (docs/reference/platform-api/traces-and-captures.md#spans). */
const commonAttributes = { 'telemetry.sdk.language': 'nodejs', 'internal.span.format': 'otlp' }

/** Exports the trace and resolves with its ID when the intake has acknowledged all spans. Rejects otherwise. */
export const exportCall = async ({
  url,
  encoding = 'proto',
  gzip = false,
  headers = {},
  at = Date.now(),
  ...call
}: TracedCall) => {
  const Exporter = encoding === 'proto' ? ProtoExporter : HttpExporter
  const compression = gzip ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE
  const exporter = new Exporter({ url: `${url}/v1/traces`, compression, headers })
  const processor = new BatchSpanProcessor({ exporter })
  const resource = resourceFromAttributes({ 'service.name': 'jambonz-feature-server', 'service.version': '0.9.5' })
  const provider = new TracerProvider({ resource, spanProcessors: [processor] })
  const tracer = provider.getTracer('jambonz', '0.9.5')
  const contexts: Context[] = []
  let trace_id = ''
  const facts = {
    service_provider_sid: '',
    application_sid: '',
    from: '15083728299',
    to: '15083084809',
    seconds: 30,
    recorded: true,
    ...call,
  }
  for (const { name, parent, from, until, attributes, error } of callSpans(createRandom(7), facts)) {
    const above = parent === null ? ROOT_CONTEXT : (contexts[parent] ?? ROOT_CONTEXT)
    const span = tracer.startSpan(
      name,
      { startTime: at + from, attributes: { ...commonAttributes, ...attributes } },
      above,
    )
    contexts.push(trace.setSpan(above, span))
    trace_id = span.spanContext().traceId
    if (error !== undefined) span.setStatus({ code: 2, message: error })
    span.end(at + until)
  }
  await provider.forceFlush()
  await provider.shutdown()
  return trace_id
}
