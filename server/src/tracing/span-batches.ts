import { TraceFlags } from '@opentelemetry/api'
import type { ReadableSpan, SpanProcessor } from '@opentelemetry/sdk-trace'
import type { TracingSettings } from '../config/settings/tracing-settings.ts'
import type { SpanBatch, SpanEncoding } from './span-encoding.ts'

/** Collects the spans that end, and sends them in batches, one after another. */

type BatchSettings = Pick<TracingSettings, 'maxQueuedSpans' | 'maxSpansPerExport' | 'exportIntervalMs'>

/** @param send sends the body of an export. It must not reject */
export const createSpanBatches = (
  { maxQueuedSpans, maxSpansPerExport, exportIntervalMs }: BatchSettings,
  { createBatch }: Pick<SpanEncoding, 'createBatch'>,
  send: (body: Uint8Array) => Promise<void>,
): SpanProcessor => {
  /** The batch that gets the next spans. */
  let current: SpanBatch | undefined
  /** Whether the current batch is sent although it is not full. */
  let isDue = false
  const fullBatches: { count: number; body: Uint8Array }[] = []
  /** Spans in `current` and `fullBatches`. */
  let queuedCount = 0
  let timer: NodeJS.Timeout | undefined
  let sending: Promise<void> | undefined
  let isShutDown = false

  const finishCurrent = (batch: SpanBatch) => {
    clearTimeout(timer)
    timer = undefined
    current = undefined
    isDue = false
    return { count: batch.count, body: batch.finish() }
  }

  const sendQueued = async (): Promise<void> => {
    for (;;) {
      const batch = fullBatches.shift() ?? (current && isDue ? finishCurrent(current) : undefined)
      if (batch === undefined) break
      queuedCount -= batch.count
      await send(batch.body)
    }
    sending = undefined
  }

  const startSending = (): Promise<void> => (sending ??= sendQueued())

  const flush = (): Promise<void> => {
    isDue = current !== undefined
    return startSending()
  }

  const add = (span: ReadableSpan): void => {
    current ??= createBatch(span.resource, span.instrumentationScope)
    current.add(span)
    queuedCount += 1
    if (current.count >= maxSpansPerExport) {
      fullBatches.push(finishCurrent(current))
      void startSending()
    } else timer ??= setTimeout(() => void flush(), exportIntervalMs).unref()
  }

  return {
    onStart: () => {},
    onEnd(span) {
      const isSampled = (span.spanContext().traceFlags & TraceFlags.SAMPLED) !== 0
      if (isSampled && !isShutDown && queuedCount < maxQueuedSpans) add(span)
    },
    forceFlush: flush,
    shutdown() {
      isShutDown = true
      return flush()
    },
  }
}
