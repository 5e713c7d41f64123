import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer'
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace'
import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { kibibyte, operatorTransport, readBody } from '../adapters/outbound-http/transport.ts'
import type { TracingSettings } from '../config/tracing-settings.ts'
import { exponentialBackoffMs } from '../lib/backoff.ts'
import { monotonicMs } from '../lib/clock.ts'
import { runInContext } from '../lib/tracing.ts'

/**
 * Sends spans to an OTLP/HTTP receiver with the transport of all outgoing requests, whose limits on time and bytes the
 * exporter of OpenTelemetry does not have.
 */

const encodings = {
  protobuf: { serializer: ProtobufTraceSerializer, type: 'application/x-protobuf' },
  json: { serializer: JsonTraceSerializer, type: 'application/json' },
} as const

/** Statuses after which an export is repeated (OTLP 1.x, "Retryable Response Codes"). */
const retriedStatuses = new Set([429, 502, 503, 504])
const backoff = { firstMs: 500, maxMs: 5000 }
/** The receiver's response is not evaluated, except for its status. */
const maxResponseBytes = 64 * kibibyte

class ExportRejectedError extends Error {
  readonly status: number

  constructor(status: number) {
    super(`the receiver of traces responded with ${status}`)
    this.status = status
  }
}

const isRetried = (error: unknown): boolean =>
  !(error instanceof ExportRejectedError) || retriedStatuses.has(error.status)

const compress = promisify(gzip)

type ExporterSettings = Pick<TracingSettings, 'url' | 'headers' | 'encoding' | 'isCompressed' | 'timeoutMs'>

export interface AbortableExporter extends SpanExporter {
  /** Ends the exports in progress. Their spans are lost. */
  abort(): void
}

/** @param onResult called after each export, with the error of a failed one. Its spans are dropped */
export const createSpanExporter = (
  settings: ExporterSettings,
  onResult: (error?: unknown) => void,
): AbortableExporter => {
  const { url, timeoutMs, isCompressed } = settings
  const { serializer, type } = encodings[settings.encoding]
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const headers = { ...settings.headers, 'content-type': type, ...(isCompressed ? { 'content-encoding': 'gzip' } : {}) }

  const send = async (body: Uint8Array, deadline: number): Promise<void> => {
    const response = await operatorTransport.send(url, {
      service: 'opentelemetry',
      method: 'POST',
      headers: { ...headers, 'content-length': String(body.length) },
      body,
      signal: stopping.signal,
      limits: { maxResponseBytes, timeoutMs: Math.max(1, deadline - monotonicMs()) },
    })
    await readBody(response)
    if (response.status < 200 || response.status > 299) throw new ExportRejectedError(response.status)
  }

  /** Repeats an export until its time limit. */
  const sendRepeatedly = async (body: Uint8Array): Promise<void> => {
    const deadline = monotonicMs() + timeoutMs
    for (let failures = 1; ; failures += 1) {
      try {
        return await send(body, deadline)
      } catch (error) {
        const delayMs = exponentialBackoffMs(failures, backoff)
        if (!isRetried(error) || stopping.signal.aborted || monotonicMs() + delayMs >= deadline) throw error
        await pause(delayMs, undefined, { ref: false, signal: stopping.signal })
      }
    }
  }

  const exportSpans = async (spans: ReadableSpan[]): Promise<ExportResult> => {
    try {
      const body = serializer.serializeRequest(spans)
      if (body) await sendRepeatedly(isCompressed ? await compress(body) : body)
      onResult()
      return { code: ExportResultCode.SUCCESS }
    } catch (error) {
      onResult(error)
      return { code: ExportResultCode.FAILED, error: error instanceof Error ? error : new Error('the export failed') }
    }
  }

  return {
    export(spans, done) {
      // The request that filled the batch must not get a span for the export.
      const run = async (): Promise<void> => {
        done(await exportSpans(spans))
        running.delete(current)
      }
      const current = runInContext({}, run)
      running.add(current)
    },
    // The processor only waits for the exports that it starts when it shuts down.
    async shutdown() {
      await Promise.all(running)
    },
    abort: () => stopping.abort(),
  }
}
