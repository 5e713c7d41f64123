import { monotonicMs } from '../lib/clock.ts'
import type { EndedSpan, Span, SpanEnd, SpanStart } from '../lib/spans.ts'

/**
 * Spans of a trace that the sampler has left out. They are only remembered until the request or job ends, and exported
 * afterwards if it failed or was slow (decision 70). All requests have them, so they are small, and created by classes.
 */

/** Spans of a trace that are remembered. A request with more is a search or an export, whose first spans explain it. */
const maxSpans = 256

/** A span that has ended, as it is exported. */
export interface SpanRecord extends SpanStart, SpanEnd {
  traceId: string
  /** Absent for a span whose ID nothing has used. */
  spanId?: string
  /** Milliseconds since the epoch. */
  startedAt: number
  endedAt: number
}

/** Exports spans of traces that have ended. `Parent` identifies an exported span. */
export interface DeferredExport<Parent> {
  /** Milliseconds from which a request is slow. */
  readonly slowMs: number
  createSpanId(): string
  headers(traceId: string, spanId: string): Record<string, string>
  exportSpan(span: SpanRecord, parent: Parent): Parent
}

/** `monotonicMs()` at the start and at the end of a span. */
interface Times {
  startedAt: number
  endedAt: number
}

/** Identifies a trace that starts. */
interface TraceStart<Parent> {
  readonly traceId: string
  /** The span of the caller, or what stands for none. */
  readonly parent: Parent
  /** Milliseconds since the epoch of `monotonicMs() === 0`. */
  readonly clockOffsetMs: number
}

/** A trace while it is remembered, and afterwards. */
class DeferredTrace<Parent> {
  isDropped = false
  #spanCount = 0
  readonly start: TraceStart<Parent>
  readonly target: DeferredExport<Parent>

  constructor(start: TraceStart<Parent>, target: DeferredExport<Parent>) {
    this.start = start
    this.target = target
  }

  exportSpan(span: EndedSpan & { spanId?: string }, { startedAt, endedAt }: Times, parent: Parent): Parent {
    const { traceId, clockOffsetMs } = this.start
    const times = { startedAt: clockOffsetMs + startedAt, endedAt: clockOffsetMs + endedAt }
    return this.target.exportSpan({ ...span, ...times, traceId }, parent)
  }

  /** Returns whether a span can be added, and counts it. */
  takeSpan(): boolean {
    if (this.isDropped || this.#spanCount >= maxSpans) return false
    this.#spanCount += 1
    return true
  }
}

/** A remembered span whose work had ended when it was added. */
interface EndedChild extends Times {
  describe(): EndedSpan
}

class DeferredSpan<Parent> implements Span {
  readonly isRecorded = true
  readonly #trace: DeferredTrace<Parent>
  readonly #start: SpanStart
  readonly #parent: DeferredSpan<Parent> | undefined
  readonly #startedAt = monotonicMs()
  #endedAt: number | undefined
  #end: SpanEnd = {}
  #spanId: string | undefined
  #children: (EndedChild | DeferredSpan<Parent>)[] | undefined
  #exported: Parent | undefined

  constructor(trace: DeferredTrace<Parent>, start: SpanStart, parent?: DeferredSpan<Parent>) {
    this.#trace = trace
    this.#start = start
    this.#parent = parent
  }

  get traceId(): string {
    return this.#trace.start.traceId
  }

  get spanId(): string {
    return (this.#spanId ??= this.#trace.target.createSpanId())
  }

  headers(): Record<string, string> {
    return this.#trace.target.headers(this.traceId, this.spanId)
  }

  startChild(start: SpanStart): Span {
    const child = new DeferredSpan(this.#trace, start, this)
    this.#add(child)
    return child
  }

  addChild(seconds: number, describe: () => EndedSpan): void {
    const endedAt = monotonicMs()
    this.#add({ startedAt: endedAt - seconds * 1000, endedAt, describe })
  }

  end(end: SpanEnd = {}): void {
    if (this.#endedAt !== undefined) return
    this.#endedAt = monotonicMs()
    this.#end = end
    if (this.#parent !== undefined) {
      if (this.#parent.#exported !== undefined) this.#export(this.#endedAt, this.#parent.#exported)
      return
    }
    const { start, target } = this.#trace
    const isSlow = this.#start.kind === 'server' && this.#endedAt - this.#startedAt >= target.slowMs
    if (isSlow || end.hasFailed === true) this.#export(this.#endedAt, start.parent)
    else {
      this.#trace.isDropped = true
      this.#children = undefined
    }
  }

  /** Remembers a span, or exports it at once if this span has been exported, for work after the response. */
  #add(child: EndedChild | DeferredSpan<Parent>): void {
    if (!this.#trace.takeSpan()) return
    if (this.#exported === undefined) (this.#children ??= []).push(child)
    else this.#exportChild(child, this.#exported)
  }

  /** Exports a child that has ended. Others are exported when they end. */
  #exportChild(child: EndedChild | DeferredSpan<Parent>, parent: Parent): void {
    if (!(child instanceof DeferredSpan)) this.#trace.exportSpan(child.describe(), child, parent)
    else if (child.#endedAt !== undefined) child.#export(child.#endedAt, parent)
  }

  #export(endedAt: number, parent: Parent): void {
    const attributes = { ...this.#start.attributes, ...this.#end.attributes }
    const span = { ...this.#start, ...this.#end, attributes, spanId: this.spanId }
    const exported = this.#trace.exportSpan(span, { startedAt: this.#startedAt, endedAt }, parent)
    this.#exported = exported
    for (const child of this.#children ?? []) this.#exportChild(child, exported)
    this.#children = undefined
  }
}

/** Starts the first span of a trace that is exported only if it fails or is slow. */
export const startDeferredSpan = <Parent>(
  start: SpanStart,
  traceStart: TraceStart<Parent>,
  target: DeferredExport<Parent>,
): Span => new DeferredSpan(new DeferredTrace(traceStart, target), start)
