import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'
import { W3CTraceContextPropagator } from '@opentelemetry/core'
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { TracingSettings } from '../config/settings/tracing-settings.ts'
import { monotonicMs } from '../lib/clock.ts'
import type { Span, SpanStart, Tracer } from '../lib/spans.ts'

/** The tracer of OpenTelemetry. */

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL } as const

/** Longer values are cut off. Statements with long lists of parameters have many kilobytes. */
const maxAttributeLength = 2048

type SamplerSettings = Pick<TracingSettings, 'sampler' | 'sampleRatio'>

export const createSampler = ({ sampler, sampleRatio }: SamplerSettings): Sampler => {
  const root = sampler.endsWith('always_on')
    ? new AlwaysOnSampler()
    : sampler.endsWith('always_off')
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(sampleRatio)
  return sampler.startsWith('parentbased_') ? new ParentBasedSampler({ root }) : root
}

const propagator = new W3CTraceContextPropagator()

/** Milliseconds since the epoch of `monotonicMs() === 0`, by the current system time. */
const readClockOffset = (): number => Date.now() - monotonicMs()

export interface OtelTracer extends Tracer {
  /** Exports the spans that wait, and ends. */
  shutdown(): Promise<void>
}

type TracerSettings = SamplerSettings & Pick<TracingSettings, 'resource'>

/** @param version of Patchbay */
export const createOtelTracer = (settings: TracerSettings, processor: SpanProcessor, version: string): OtelTracer => {
  const random = new RandomIdGenerator()
  /** ID of the trace that is being started. The library has no parameter for it. */
  let nextTraceId: string | undefined
  const provider = new TracerProvider({
    idGenerator: {
      generateTraceId: () => nextTraceId ?? random.generateTraceId(),
      generateSpanId: () => random.generateSpanId(),
    },
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.version': version, 'process.pid': process.pid, ...settings.resource }),
    ),
    sampler: createSampler(settings),
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer('patchbay', version)

  /** All spans of a trace in this process use one offset, so that a change of the system time does not reorder them. */
  const wrap = (span: OtelSpan, clockOffsetMs: number): Span => {
    const { traceId, spanId } = span.spanContext()
    /** Created when it is needed, because most spans are statements, which have no spans below them. */
    let context: Context | undefined
    const getContext = (): Context => (context ??= trace.setSpan(ROOT_CONTEXT, span))
    const isRecorded = span.isRecording()
    const wrapped: Span = {
      traceId,
      spanId,
      isRecorded,
      headers() {
        const carrier: Record<string, string> = {}
        propagator.inject(getContext(), carrier, defaultTextMapSetter)
        return carrier
      },
      startChild: (start) => (isRecorded ? begin(start, getContext(), clockOffsetMs) : wrapped),
      end({ attributes, hasFailed = false } = {}) {
        if (!isRecorded) return
        if (attributes) span.setAttributes(attributes)
        if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end(clockOffsetMs + monotonicMs())
      },
    }
    return wrapped
  }

  const begin = (
    { name, kind, attributes = {}, elapsedSeconds = 0 }: SpanStart,
    parent: Context,
    clockOffsetMs: number,
  ): Span => {
    const startTime = clockOffsetMs + monotonicMs() - elapsedSeconds * 1000
    return wrap(tracer.startSpan(name, { kind: kinds[kind], attributes, startTime }, parent), clockOffsetMs)
  }

  return {
    startSpan(start) {
      const parent = start.headers
        ? propagator.extract(ROOT_CONTEXT, start.headers, defaultTextMapGetter)
        : ROOT_CONTEXT
      nextTraceId = start.traceId
      try {
        return begin(start, parent, readClockOffset())
      } finally {
        nextTraceId = undefined
      }
    },
    shutdown: () => provider.shutdown(),
  }
}
