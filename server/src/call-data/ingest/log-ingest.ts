import type { FastifyInstance } from 'fastify'
import { intakeEvents } from '../../lib/telemetry.ts'
import type { LogLine, LogSink } from '../logs/logs.ts'
import { createBodyProcessor, type IntakeServerOptions } from './http-ingest.ts'

/**
 * Receives logs over HTTP at POST /logs from log shippers (Fluent Bit, Vector, a pino transport) as JSON lines,
 * optionally gzipped, in the format of jambonz. Lines that identify a call by `callSid` or `callId` are stored.
 */

export interface LogIntakeOptions extends IntakeServerOptions {
  sink: LogSink
}

/** Maximum lines and characters that are read and stored in one step. Other requests run in between. */
const maxBatchLines = 1000
const maxBatchCharacters = 256 * 1024

/** Maximum characters per line, lines per request, and calls per request. Excess lines are dropped. */
const maxLineLength = 65_536
const maxLines = 100_000
const maxCalls = 2000

const maxIdLength = 255

const parseCallId = (line: string): string | undefined => {
  if (line.length > maxLineLength) return undefined
  // Most lines belong to no call and need not be parsed.
  if (!line.includes('"callSid"') && !line.includes('"callId"')) return undefined
  try {
    const { callSid, callId }: { callSid?: unknown; callId?: unknown } = Object(JSON.parse(line))
    const id = [callSid, callId].find((value) => typeof value === 'string' && value !== '')
    return typeof id === 'string' && id.length <= maxIdLength ? id : undefined
  } catch {
    return undefined
  }
}

/** Yields the lines of a body in batches, without blank lines. */
function* splitIntoBatches(body: string): Generator<string[]> {
  let batch: string[] = []
  let batchStart = 0
  for (let start = 0; start < body.length; ) {
    const lineBreak = body.indexOf('\n', start)
    const end = lineBreak < 0 ? body.length : lineBreak
    const line = body.slice(start, end).trim()
    if (line !== '') batch.push(line)
    start = end + 1
    if (batch.length < maxBatchLines && start - batchStart < maxBatchCharacters) continue
    yield batch
    batch = []
    batchStart = start
  }
  yield batch
}

/** Registers `POST /logs` for log lines. Each line is JSON that contains the `callSid` or `callId` of its call. */
export const registerLogIngest = (app: FastifyInstance, { sink, ...options }: LogIntakeOptions): void => {
  const processBody = createBodyProcessor(options, 'otlp')
  app.post('/logs', async (request, reply) => {
    const outcome = await processBody(request, reply, async (body, runStep) => {
      const calls = new Set<string>()
      let [stored, lines] = [0, 0]
      const batches = splitIntoBatches(body.toString('utf8'))
      const toLogLines = (batch: readonly string[]): LogLine[] =>
        batch.flatMap((text) => {
          const call_id = parseCallId(text)
          if (call_id === undefined || (calls.size >= maxCalls && !calls.has(call_id))) return []
          calls.add(call_id)
          return [{ call_id, text }]
        })
      /** Stores the next batch. Returns whether there may be another one. */
      const storeNext = async (): Promise<boolean> => {
        const { value: batch = [], done } = batches.next()
        lines += batch.length
        const logLines = lines > maxLines ? [] : toLogLines(batch)
        if (logLines.length > 0) stored += await sink.store(logLines)
        return done !== true
      }
      while (await runStep(storeNext)) {
        // Each batch is a separate step of the queue.
      }
      intakeEvents.publish({ is: 'stored', data: 'log_lines', count: stored })
      intakeEvents.publish({ is: 'rejected', data: 'log_lines', reason: 'ignored', count: lines - stored })
      return { stored, dropped: lines - stored }
    })
    return reply.send(outcome)
  })
}
