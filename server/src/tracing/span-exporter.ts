import { setTimeout as pause } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { kibibyte, operatorTransport, readBody } from '../adapters/outbound-http/transport.ts'
import type { TracingSettings } from '../config/settings/tracing-settings.ts'
import { exponentialBackoffMs } from '../lib/backoff.ts'
import { monotonicMs } from '../lib/clock.ts'
import { runInContext } from '../lib/spans.ts'
import { spanEncodings } from './span-encoding.ts'

/**
 * Sends spans to an OTLP/HTTP receiver with the transport of all outgoing requests, whose limits on time and bytes the
 * exporter of OpenTelemetry does not have.
 */

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
  bytes: Uint8Array,
  signal?: AbortSignal,
): Promise<void> => {
  const body = isCompressed ? await compress(bytes) : bytes
  const response = await operatorTransport.send(url, {
    service: 'opentelemetry',
    method: 'POST',
    headers: {
      ...headers,
      'content-type': spanEncodings[encoding].mediaType,
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
export const checkReceiver = (settings: ExporterSettings): Promise<void> =>
  sendExport(settings, spanEncodings[settings.encoding].empty)

export interface SpanExporter {
  /** Sends the body of an export, repeatedly if necessary. Its spans are dropped if that fails. Never rejects. */
  send(body: Uint8Array): Promise<void>
  /** Ends the exports in progress. Their spans are lost. */
  abort(): void
}

/** @param onResult called after each export, with the error of a failed one */
export const createSpanExporter = (settings: ExporterSettings, onResult: (error?: unknown) => void): SpanExporter => {
  const stopping = new AbortController()

  /** Repeats an export until its time limit. */
  const sendRepeatedly = async (body: Uint8Array): Promise<void> => {
    const deadline = monotonicMs() + settings.timeoutMs
    for (let failures = 1; ; failures += 1) {
      try {
        const timeoutMs = Math.max(1, deadline - monotonicMs())
        return await sendExport({ ...settings, timeoutMs }, body, stopping.signal)
      } catch (error) {
        const delayMs = exponentialBackoffMs(failures, backoff)
        if (!isRetried(error) || stopping.signal.aborted || monotonicMs() + delayMs >= deadline) throw error
        await pause(delayMs, undefined, { ref: false, signal: stopping.signal })
      }
    }
  }

  return {
    // The request that filled the batch must not get a span for the export.
    send: (body) =>
      runInContext({}, () =>
        sendRepeatedly(body).then(
          () => onResult(),
          (error: unknown) => onResult(error),
        ),
      ),
    abort: () => stopping.abort(),
  }
}
