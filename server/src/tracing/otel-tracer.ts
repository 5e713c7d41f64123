import {
  type Context,
  defaultTextMapGetter,
  defaultTextMapSetter,
  type Span as OtelSpan,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
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
  SamplingDecision,
  type SpanProcessor,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { TracingSettings } from '../config/settings/tracing-settings.ts'
import { monotonicMs } from '../lib/clock.ts'
import type { Span, SpanStart, Tracer } from '../lib/spans.ts'
import { type DeferredExport, startDeferredSpan } from './deferred-span.ts'

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

type TracerSettings = SamplerSettings & Pick<TracingSettings, 'resource' | 'slowRequestMs'>

/** @param version of Patchbay */
export const createOtelTracer = (settings: TracerSettings, processor: SpanProcessor, version: string): OtelTracer => {
  const random = new RandomIdGenerator()
  /** IDs of the span that is being started. The library has no parameters for them. */
  let next: { traceId?: string | undefined; spanId?: string | undefined } = {}
  /** Whether the span that is being started belongs to a trace that is exported although the sampler left it out. */
  let isKept = false
  const sampler = createSampler(settings)
  const provider = new TracerProvider({
    idGenerator: {
      generateTraceId: () => next.traceId ?? random.generateTraceId(),
      generateSpanId: () => next.spanId ?? random.generateSpanId(),
    },
    resource: defaultResource().merge(
      resourceFromAttributes({ 'service.version': version, 'process.pid': process.pid, ...settings.resource }),
    ),
    sampler: {
      shouldSample: (...args) =>
        isKept ? { decision: SamplingDecision.RECORD_AND_SAMPLED } : sampler.shouldSample(...args),
      toString: () => sampler.toString(),
    },
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
    spanProcessors: [processor],
  })
  const tracer = provider.getTracer('patchbay', version)

  const inject = (context: Context): Record<string, string> => {
    const carrier: Record<string, string> = {}
    propagator.inject(context, carrier, defaultTextMapSetter)
    return carrier
  }

  const startOtelSpan = ({ name, kind, attributes = {} }: SpanStart, startTime: number, parent: Context): OtelSpan =>
    tracer.startSpan(name, { kind: kinds[kind], attributes, startTime }, parent)

  const endOtelSpan = (span: OtelSpan, hasFailed: boolean, endTime: number): void => {
    if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR })
    span.end(endTime)
  }

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
      headers: () => inject(getContext()),
      startChild: (start) =>
        isRecorded ? wrap(startOtelSpan(start, clockOffsetMs + monotonicMs(), getContext()), clockOffsetMs) : wrapped,
      addChild(seconds, describe) {
        if (!isRecorded) return
        const ended = describe()
        const endTime = clockOffsetMs + monotonicMs()
        const child = startOtelSpan(ended, endTime - seconds * 1000, getContext())
        endOtelSpan(child, ended.hasFailed === true, endTime)
      },
      end({ attributes, hasFailed = false } = {}) {
        if (!isRecorded) return
        if (attributes) span.setAttributes(attributes)
        endOtelSpan(span, hasFailed, clockOffsetMs + monotonicMs())
      },
    }
    return wrapped
  }

  const keptTraces: DeferredExport<Context> = {
    slowMs: settings.slowRequestMs,
    createSpanId: () => random.generateSpanId(),
    headers: (traceId, spanId) =>
      inject(trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: TraceFlags.NONE })),
    exportSpan(record, parent) {
      isKept = true
      next = record
      try {
        const span = startOtelSpan(record, record.startedAt, parent)
        endOtelSpan(span, record.hasFailed === true, record.endedAt)
        return trace.setSpan(ROOT_CONTEXT, span)
      } finally {
        isKept = false
        next = {}
      }
    },
  }

  /** Returns whether the decision at the start of a trace is final. A trace that a ratio leaves out is exported if it fails. */
  const isFinal = (traceId: string, { name, kind }: SpanStart): boolean =>
    !settings.sampler.endsWith('traceidratio') ||
    sampler.shouldSample(ROOT_CONTEXT, traceId, name, kinds[kind], {}, []).decision !== SamplingDecision.NOT_RECORD

  return {
    startSpan(start) {
      const parent = start.headers
        ? propagator.extract(ROOT_CONTEXT, start.headers, defaultTextMapGetter)
        : ROOT_CONTEXT
      const caller = trace.getSpanContext(parent)
      const traceId = caller?.traceId ?? start.traceId ?? random.generateTraceId()
      // The decision of a caller is final, unless the sampler ignores it.
      const isDeferred = (caller === undefined || settings.sampler === 'traceidratio') && !isFinal(traceId, start)
      const clockOffsetMs = readClockOffset()
      if (isDeferred) return startDeferredSpan(start, { traceId, parent, clockOffsetMs }, keptTraces)
      next = { traceId }
      try {
        return wrap(startOtelSpan(start, clockOffsetMs + monotonicMs(), parent), clockOffsetMs)
      } finally {
        next = {}
      }
    },
    shutdown: () => provider.shutdown(),
  }
}
