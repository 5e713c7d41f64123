import type { DatabaseAddress } from '../config/option-types.ts'
import type { TracingSettings } from '../config/settings/tracing-settings.ts'
import { setTracer } from '../lib/spans.ts'
import { withTimeout } from '../lib/timeout.ts'
import { createOtelTracer } from './otel-tracer.ts'
import { createSpanBatches } from './span-batches.ts'
import { spanEncodings } from './span-encoding.ts'
import { createSpanExporter } from './span-exporter.ts'
import { observeWork } from './work-spans.ts'

/** Exports traces of Patchbay's own work with OpenTelemetry. Loaded only if an endpoint is configured. */

/** The part of a logger that is used. */
export interface TracingLogger {
  info(message: string): void
  warn(fields: object, message: string): void
}

/** Time that a shutdown waits for the last export. */
const shutdownTimeoutSeconds = 3

export interface Tracing {
  /** Logs when exports begin to fail, and when they succeed again. */
  logTo(logger: TracingLogger): void
  /** Exports the spans that wait, for up to 3 s, and ends. */
  close(): Promise<void>
}

/**
 * Starts to create spans. Requests only get some if this is called before the app is created.
 *
 * @param version of Patchbay
 */
export const createTracing = (settings: TracingSettings, address: DatabaseAddress, version: string): Tracing => {
  let logger: TracingLogger | undefined
  let isFailing = false
  const onResult = (error?: unknown) => {
    const hasFailed = error !== undefined
    if (hasFailed && !isFailing)
      logger?.warn({ err: error }, 'traces cannot be exported and are dropped until the receiver accepts them')
    if (!hasFailed && isFailing) logger?.info('traces are exported again')
    isFailing = hasFailed
  }
  const exporter = createSpanExporter(settings, onResult)
  const batches = createSpanBatches(settings, spanEncodings[settings.encoding], exporter.send)
  const tracer = createOtelTracer(settings, batches, version)
  const stopObserving = observeWork(address)
  setTracer(tracer)
  return {
    logTo(next) {
      logger = next
    },
    async close() {
      setTracer(undefined)
      stopObserving()
      const last = tracer.shutdown()
      await withTimeout(last, shutdownTimeoutSeconds, () => new Error('late')).catch(() => {})
      exporter.abort()
    },
  }
}
