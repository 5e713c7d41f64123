import { AsyncLocalStorage } from 'node:async_hooks'
import { getErrorCode } from './error-code.ts'

/**
 * The request and the span that the current work belongs to. Spans exist only if a tracer is set, which loads
 * OpenTelemetry (tracing/create-tracing.ts). Code that creates spans does not know the library.
 */

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>

export interface SpanStart {
  name: string
  kind: 'server' | 'client' | 'internal'
  attributes?: SpanAttributes
  /** Headers of a trusted caller, which continue its trace (W3C Trace Context). */
  headers?: Readonly<Record<string, string | string[] | undefined>>
  /** Starts a trace of its own, even if other work has started this. */
  isRoot?: boolean
  /** ID of a new trace, 32 hexadecimal digits in lower case. Default: a random one. A continued trace keeps its ID. */
  traceId?: string | undefined
}

export interface SpanEnd {
  attributes?: SpanAttributes
  hasFailed?: boolean
}

/** A span whose work has ended when it is created. */
export type EndedSpan = SpanStart & SpanEnd

export interface Span {
  readonly traceId: string
  readonly spanId: string
  /** False if the sampler has left out the trace. The span then only carries the IDs, and has no spans below it. */
  readonly isRecorded: boolean
  /** Headers that continue the trace in another process (W3C Trace Context). */
  headers(): Record<string, string>
  /** Starts a span below this one. */
  startChild(start: SpanStart): Span
  /**
   * Adds a span below this one for work that has just ended.
   * @param describe is called if the span is exported, possibly later
   */
  addChild(seconds: number, describe: () => EndedSpan): void
  end(end?: SpanEnd): void
}

export interface Tracer {
  /** Starts a trace. */
  startSpan(start: SpanStart): Span
}

/** The request and the span that work belongs to. */
export interface WorkContext {
  requestId?: string | undefined
  span?: Span | undefined
}

const contexts = new AsyncLocalStorage<WorkContext>()
let tracer: Tracer | undefined

/** Sets the tracer of this process, or removes it. */
export const setTracer = (next: Tracer | undefined): void => {
  tracer = next
}

export const isTracing = (): boolean => tracer !== undefined

/** Returns undefined outside of requests and spans. */
export const getWorkContext = (): WorkContext | undefined => contexts.getStore()

/** Returns the span that the current work belongs to. */
export const getActiveSpan = (): Span | undefined => contexts.getStore()?.span

/** Runs a function, and everything that it starts, in a context. */
export const runInContext = <T>(context: WorkContext, work: () => T): T => contexts.run(context, work)

/** Returns a function that runs others in the current context, for work that starts later. */
export const captureContext = (): (<T>(work: () => T) => T) => AsyncLocalStorage.snapshot()

/** Starts a span below the active one, or a trace. Returns undefined without a tracer. */
export const startSpan = (start: SpanStart): Span | undefined => {
  if (tracer === undefined) return undefined
  const parent = start.isRoot ? undefined : getActiveSpan()
  return parent === undefined ? tracer.startSpan(start) : parent.startChild(start)
}

/** Returns the code or the class of an error. Its message may contain values. */
export const getErrorType = (error: unknown): string =>
  getErrorCode(error) || (error instanceof Error ? error.name : '_OTHER')

/** Runs work in a span, which fails if the work fails. Without a tracer, it only runs the work. */
export const withSpan = async <T>(start: SpanStart, work: () => Promise<T>): Promise<T> => {
  const span = startSpan(start)
  if (span === undefined) return work()
  try {
    const result = await runInContext({ requestId: start.isRoot ? undefined : getWorkContext()?.requestId, span }, work)
    span.end()
    return result
  } catch (error) {
    span.end({ hasFailed: true, attributes: { 'error.type': getErrorType(error) } })
    throw error
  }
}
