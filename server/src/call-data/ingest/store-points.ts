import type { RunStep } from '../../lib/fair-queue.ts'
import { type IntakeData, intakeEvents } from '../../lib/telemetry.ts'
import { withTimeout } from '../../lib/timeout.ts'
import type { AlertRecord } from '../alerts/alert-record.ts'
import type { CallRating, CallRecord } from '../calls/call-record.ts'
import { IngestError } from './ingest-error.ts'
import { isRejected, type Point, type RejectedLine } from './line-protocol.ts'
import { parseAlertPoint, parseCdrPoint } from './parse-call-point.ts'

/** Stores the lines of a request body in batches. */

/** Stores records. A rejected promise results in a 500 response, unless it is an IngestError. */
export interface IntakeSink {
  writeCalls(records: readonly CallRecord[]): Promise<void>
  writeAlerts(records: readonly AlertRecord[]): Promise<void>
  /** Adds the cost to stored calls. Returns the reason for each rating that was not stored, in the same order. */
  rateCalls(ratings: readonly CallRating[]): Promise<(string | undefined)[]>
}

/** The records of a batch, and the lines that are none. */
interface ConvertedBatch {
  rejected: RejectedLine[]
  /** Stores the records. Returns the lines of those that were not stored. */
  store: (sink: IntakeSink) => Promise<RejectedLine[]>
}

/** A stored measurement. The database and the measurement have the same name. */
export interface StoredMeasurement {
  name: string
  /** Name of the data in metrics. */
  data: IntakeData
  convert: (batch: readonly (Point | RejectedLine)[]) => ConvertedBatch
}

const reject = (line: number, reason: string): RejectedLine => ({ line, text: '', reason })

/** The databases also contain measurements for the internal use of jambonz, which are ignored. */
const getPoints = (batch: readonly (Point | RejectedLine)[], name: string): Point[] =>
  batch.filter((point): point is Point => !isRejected(point) && point.measurement === name)

const callMeasurement: StoredMeasurement = {
  name: 'cdrs',
  data: 'calls',
  convert(batch) {
    const rejected = batch.filter(isRejected)
    const calls: CallRecord[] = []
    const ratings: { line: number; rating: CallRating }[] = []
    for (const point of getPoints(batch, 'cdrs')) {
      const result = parseCdrPoint(point)
      if (!result.ok) rejected.push(reject(point.line, result.reason))
      else if (result.value.is === 'call') calls.push(result.value.call)
      else ratings.push({ line: point.line, rating: result.value.rating })
    }
    return {
      rejected,
      async store(sink) {
        if (calls.length > 0) await sink.writeCalls(calls)
        if (ratings.length === 0) return []
        // After the calls, because one request can contain both.
        const reasons = await sink.rateCalls(ratings.map(({ rating }) => rating))
        return ratings.flatMap(({ line }, at) => {
          const reason = reasons[at]
          return reason === undefined ? [] : [reject(line, reason)]
        })
      },
    }
  },
}

const alertMeasurement: StoredMeasurement = {
  name: 'alerts',
  data: 'alerts',
  convert(batch) {
    const rejected = batch.filter(isRejected)
    const alerts: AlertRecord[] = []
    for (const point of getPoints(batch, 'alerts')) {
      const result = parseAlertPoint(point)
      if (result.ok) alerts.push(result.value)
      else rejected.push(reject(point.line, result.reason))
    }
    return {
      rejected,
      async store(sink) {
        if (alerts.length > 0) await sink.writeAlerts(alerts)
        return []
      },
    }
  },
}

export const storedMeasurements: readonly StoredMeasurement[] = [callMeasurement, alertMeasurement]

/** Rejected lines: the first ones in detail, and the total count. */
export interface Rejections {
  first: readonly RejectedLine[]
  count: number
}

const maxReportedLines = 10

const addRejections = ({ first, count }: Rejections, more: readonly RejectedLine[]): Rejections => ({
  first: [...first, ...more.toSorted((a, b) => a.line - b.line).slice(0, maxReportedLines - first.length)],
  count: count + more.length,
})

/** Returns the message for a write with rejected lines, in InfluxDB's format. */
export const formatPartialWrite = ({ first, count }: Rejections): string => {
  const lines = first.map(({ line, reason }) => `line ${line}: ${reason}`)
  const more = count > first.length ? '; …' : ''
  return `partial write: ${lines.join('; ')}${more} dropped=${count}`
}

const notStored = (cause: unknown) => new IngestError(500, 'the points could not be stored, send them again', { cause })

/** Returns the error for a write that exceeds the time limit. */
export const storingTookTooLong = () => notStored(new Error('storing took too long'))

/**
 * Maximum lines per step, and maximum time for reading them. Other requests run in between. They need several
 * iterations of the event loop each, so more than one batch delays them.
 */
const maxBatchLines = 500
const maxBatchMs = 5

/** Maximum lines per request. */
const maxLines = 100_000

/** Stores the records of a batch that belong to the measurement. Returns the rejected lines. */
const storeBatch = async (
  batch: readonly (Point | RejectedLine)[],
  { data, convert }: StoredMeasurement,
  sink: IntakeSink,
  timeoutSeconds: number,
): Promise<RejectedLine[]> => {
  const { rejected, store } = convert(batch)
  try {
    rejected.push(...(await withTimeout(store(sink), timeoutSeconds, storingTookTooLong)))
  } catch (error) {
    throw error instanceof IngestError ? error : notStored(error)
  }
  if (rejected.length > 0) intakeEvents.publish({ is: 'rejected', data, reason: 'invalid', count: rejected.length })
  return rejected
}

/** Reads the next batch of lines. */
const readBatch = <T>(lines: Iterator<T | undefined>): { batch: T[]; isLast: boolean } => {
  const batch: T[] = []
  const started = performance.now()
  while (batch.length < maxBatchLines && performance.now() - started < maxBatchMs) {
    const { done, value } = lines.next()
    if (done) return { batch, isLast: true }
    if (value === undefined) break
    batch.push(value)
  }
  return { batch, isLast: false }
}

/**
 * Stores the points of a measurement in batches. Each batch is a step of the queue and must finish within
 * `timeoutSeconds`. Returns the rejected lines.
 *
 * @throws IngestError 413 after the first 100,000 lines, which are stored
 */
export const storeLines = async (
  lines: Iterator<Point | RejectedLine | undefined>,
  measurement: StoredMeasurement,
  { sink, timeoutSeconds, runStep }: { sink: IntakeSink; timeoutSeconds: number; runStep: RunStep },
): Promise<Rejections> => {
  let rejections: Rejections = { first: [], count: 0 }
  let count = 0
  for (;;) {
    const { batch, isLast, rejected } = await runStep(async () => {
      const next = readBatch(lines)
      return { ...next, rejected: await storeBatch(next.batch, measurement, sink, timeoutSeconds) }
    })
    rejections = addRejections(rejections, rejected)
    count += batch.length
    if (isLast) return rejections
    if (count > maxLines)
      throw new IngestError(
        413,
        `partial write: a request has at most ${maxLines} points; send the others in another one`,
      )
  }
}
