import type { RunStep } from '../../lib/fair-queue.ts'
import { withTimeout } from '../../lib/timeout.ts'
import { alertFromPoint, callFromPoint, type Reading } from './parse-call-point.ts'
import { isRejected, type Point, type RejectedLine } from './line-protocol.ts'
import { Refusal } from './ingest-error.ts'

/** The lines of a body on their way into the stores, some at a time. */

/** Gets only points of which `callFromPoint` and `alertFromPoint` make a record. A rejected promise is a 500 to the writer. */
export interface IntakeSink {
  writeCalls(points: readonly Point[]): Promise<void>
  writeAlerts(points: readonly Point[]): Promise<void>
}

/** What is kept: of the database of this name the measurement of this name. */
export interface Kept {
  name: string
  read: (point: Point) => Reading<unknown>
  write: (sink: IntakeSink, points: readonly Point[]) => Promise<void>
}

export const allKept: readonly Kept[] = [
  { name: 'cdrs', read: callFromPoint, write: (sink, points) => sink.writeCalls(points) },
  { name: 'alerts', read: alertFromPoint, write: (sink, points) => sink.writeAlerts(points) },
]

/** Lines that were not taken: the first are named, the others counted. */
export interface Rejections {
  first: readonly RejectedLine[]
  count: number
}

const maxNamed = 10

const withMore = ({ first, count }: Rejections, more: readonly RejectedLine[]): Rejections => ({
  first: [...first, ...more.toSorted((a, b) => a.line - b.line).slice(0, maxNamed - first.length)],
  count: count + more.length,
})

export const partialWrite = ({ first, count }: Rejections): string => {
  const lines = first.map(({ line, reason }) => `line ${line}: ${reason}`)
  const more = count > first.length ? '; …' : ''
  return `partial write: ${lines.join('; ')}${more} dropped=${count}`
}

const notStored = (cause: unknown) => new Refusal(500, 'the points could not be stored, send them again', { cause })

export const storingTookTooLong = () => notStored(new Error('storing took too long'))

/**
 * Lines that are read and stored at a time, and how long reading may take. Other requests run in between. They need
 * several iterations of the event loop each, so that they are delayed by more than one lot.
 */
const maxLotLines = 500
const maxLotMs = 5

/** Lines of a request. */
const maxLines = 100_000

/** What the database keeps of some lines goes to the sink; answers those that nobody could keep. */
const storeLot = async (
  lot: readonly (Point | RejectedLine)[],
  { name, read, write }: Kept,
  sink: IntakeSink,
  timeoutSeconds: number,
): Promise<RejectedLine[]> => {
  const rejected = lot.filter(isRejected)
  const fit: Point[] = []
  for (const point of lot) {
    // Databases hold further measurements for the platform's own use.
    if (isRejected(point) || point.measurement !== name) continue
    const reading = read(point)
    if (reading.ok) fit.push(point)
    else rejected.push({ line: point.line, text: '', reason: reading.reason })
  }
  try {
    if (fit.length > 0) await withTimeout(write(sink, fit), timeoutSeconds, storingTookTooLong)
  } catch (error) {
    throw error instanceof Refusal ? error : notStored(error)
  }
  return rejected
}

/** Reads the next lines of a body. */
const nextLot = <T>(lines: Iterator<T | undefined>): { lot: T[]; isLast: boolean } => {
  const lot: T[] = []
  const started = performance.now()
  while (lot.length < maxLotLines && performance.now() - started < maxLotMs) {
    const { done, value } = lines.next()
    if (done) return { lot, isLast: true }
    if (value === undefined) break
    lot.push(value)
  }
  return { lot, isLast: false }
}

/**
 * Stores the lines that are points of what is kept, each lot in its turn and in so many seconds. Returns the others.
 *
 * @throws Refusal 413 after the first 100,000 lines, which are stored
 */
export const storeLines = async (
  lines: Iterator<Point | RejectedLine | undefined>,
  kept: Kept,
  { sink, timeoutSeconds, runStep }: { sink: IntakeSink; timeoutSeconds: number; runStep: RunStep },
): Promise<Rejections> => {
  let rejections: Rejections = { first: [], count: 0 }
  let count = 0
  for (;;) {
    const { lot, isLast, rejected } = await runStep(async () => {
      const next = nextLot(lines)
      return { ...next, rejected: await storeLot(next.lot, kept, sink, timeoutSeconds) }
    })
    rejections = withMore(rejections, rejected)
    count += lot.length
    if (isLast) return rejections
    if (count > maxLines)
      throw new Refusal(413, `partial write: a request has at most ${maxLines} points; send the others in another one`)
  }
}
