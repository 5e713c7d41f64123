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
  /** Read by the check of the configuration. */
  readonly code: string | undefined

  constructor(status: number) {
    super(`the receiver of traces responded with ${status}`)
    this.status = status
    this.code = status === 401 || status === 403 ? 'EAUTH' : undefined
  }
}

const isRetried = (error: unknown): boolean =>
  !(error instanceof ExportRejectedError) || retriedStatuses.has(error.status)

const compress = promisify(gzip)

type ExporterSettings = Pick<TracingSettings, 'url' | 'headers' | 'encoding' | 'isCompressed' | 'timeoutMs'>

/** Sends one export. Rejects unless the receiver accepts it. */
const sendExport = async (
  { url, headers, encoding, isCompressed, timeoutMs }: ExporterSettings,
  spans: ReadableSpan[],
  signal?: AbortSignal,
): Promise<void> => {
  const { serializer, type } = encodings[encoding]
  const bytes = serializer.serializeRequest(spans) ?? new Uint8Array()
  const body = isCompressed ? await compress(bytes) : bytes
  const response = await operatorTransport.send(url, {
    service: 'opentelemetry',
    method: 'POST',
    headers: {
      ...headers,
      'content-type': type,
      'content-length': String(body.length),
      ...(isCompressed ? { 'content-encoding': 'gzip' } : {}),
    },
    body,
    signal,
    limits: { maxResponseBytes, timeoutMs },
  })
  await readBody(response)
  if (response.status < 200 || response.status > 299) throw new ExportRejectedError(response.status)
}

/** Sends an export without spans. Rejects if the receiver cannot be reached or does not accept it. */
export const checkReceiver = (settings: ExporterSettings): Promise<void> => sendExport(settings, [])

export interface AbortableExporter extends SpanExporter {
  /** Ends the exports in progress. Their spans are lost. */
  abort(): void
}

/** @param onResult called after each export, with the error of a failed one. Its spans are dropped */
export const createSpanExporter = (
  settings: ExporterSettings,
  onResult: (error?: unknown) => void,
): AbortableExporter => {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()

  /** Repeats an export until its time limit. */
  const sendRepeatedly = async (spans: ReadableSpan[]): Promise<void> => {
    const deadline = monotonicMs() + settings.timeoutMs
    for (let failures = 1; ; failures += 1) {
      try {
        const timeoutMs = Math.max(1, deadline - monotonicMs())
        return await sendExport({ ...settings, timeoutMs }, spans, stopping.signal)
      } catch (error) {
        const delayMs = exponentialBackoffMs(failures, backoff)
        if (!isRetried(error) || stopping.signal.aborted || monotonicMs() + delayMs >= deadline) throw error
        await pause(delayMs, undefined, { ref: false, signal: stopping.signal })
      }
    }
  }

  const exportSpans = async (spans: ReadableSpan[]): Promise<ExportResult> => {
    try {
      await sendRepeatedly(spans)
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
