import type { FastifyInstance } from 'fastify'
import type { LogLine, LogSink } from '../logs/logs.ts'
import { createDeliveries, type IntakeServerOptions } from './http-ingest.ts'

/**
 * POST /logs for what ships logs over HTTP (Fluent Bit, Vector, a transport of pino): JSON lines, gzipped or not, in the
 * shape of the platform's programs. A line is kept that names its call, by `callSid` or by `callId`.
 */

export interface LogIntakeOptions extends IntakeServerOptions {
  sink: LogSink
}

/** Lines, and characters of these, that are read and stored at a time. Other requests run in between. */
const maxLotLines = 1000
const maxLotCharacters = 256 * 1024

/** Characters of a line, lines of a request, and calls of a request. What exceeds these is dropped. */
const maxLineLength = 65_536
const maxLines = 100_000
const maxCalls = 2000

const maxIdLength = 255

const callIdOf = (line: string): string | undefined => {
  if (line.length > maxLineLength) return undefined
  // Most lines belong to no call, and are not parsed.
  if (!line.includes('"callSid"') && !line.includes('"callId"')) return undefined
  try {
    const { callSid, callId }: { callSid?: unknown; callId?: unknown } = Object(JSON.parse(line))
    const id = [callSid, callId].find((value) => typeof value === 'string' && value !== '')
    return typeof id === 'string' && id.length <= maxIdLength ? id : undefined
  } catch {
    return undefined
  }
}

/** Yields the lines of a body in lots. Blank lines are left out. */
function* lotsOf(body: string): Generator<string[]> {
  let lot: string[] = []
  let lotStart = 0
  for (let start = 0; start < body.length; ) {
    const found = body.indexOf('\n', start)
    const end = found < 0 ? body.length : found
    const line = body.slice(start, end).trim()
    if (line !== '') lot.push(line)
    start = end + 1
    if (lot.length < maxLotLines && start - lotStart < maxLotCharacters) continue
    yield lot
    lot = []
    lotStart = start
  }
  yield lot
}

export const takeLogs = (app: FastifyInstance, { sink, ...options }: LogIntakeOptions): void => {
  const deliver = createDeliveries(options)
  app.post('/logs', async (request, reply) => {
    const outcome = await deliver(request, reply, async (body, runStep) => {
      const calls = new Set<string>()
      let [stored, lines] = [0, 0]
      const lots = lotsOf(body.toString('utf8'))
      const linesIn = (lot: readonly string[]): LogLine[] =>
        lot.flatMap((text) => {
          const call_id = callIdOf(text)
          if (call_id === undefined || (calls.size >= maxCalls && !calls.has(call_id))) return []
          calls.add(call_id)
          return [{ call_id, text }]
        })
      /** Stores the next lot. Returns whether there may be another one. */
      const storeNext = async (): Promise<boolean> => {
        const { value: lot = [], done } = lots.next()
        lines += lot.length
        const some = lines > maxLines ? [] : linesIn(lot)
        if (some.length > 0) stored += await sink.store(some)
        return done !== true
      }
      while (await runStep(storeNext)) {
        // Each lot has its turn.
      }
      return { stored, dropped: lines - stored }
    })
    return reply.send(outcome)
  })
}
