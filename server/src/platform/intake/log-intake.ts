import type { FastifyInstance } from 'fastify'
import type { LogLine, LogSink } from '../logs/logs.ts'
import { createDeliveries, type IntakeServerOptions } from './http-intake.ts'

/**
 * POST /logs for what ships logs over HTTP (Fluent Bit, Vector, a transport of pino): JSON lines, gzipped or not, in the
 * shape of the platform's programs. A line is kept that names its call, by `callSid` or by `callId`.
 */

export interface LogIntakeOptions extends IntakeServerOptions {
  sink: LogSink
}

/** Lines that are read and stored at a time; between two lots other requests have their turn. */
const linesAtOnce = 1000

const longestId = 255

const callIdOf = (line: string): string | undefined => {
  // Most lines are of no call, and are not parsed.
  if (!line.includes('"callSid"') && !line.includes('"callId"')) return undefined
  try {
    const { callSid, callId }: { callSid?: unknown; callId?: unknown } = Object(JSON.parse(line))
    const id = [callSid, callId].find((value) => typeof value === 'string' && value !== '')
    return typeof id === 'string' && id.length <= longestId ? id : undefined
  } catch {
    return undefined
  }
}

const linesIn = (lines: readonly string[]): LogLine[] =>
  lines.flatMap((text) => {
    const call_id = callIdOf(text)
    return call_id === undefined ? [] : [{ call_id, text: text.trim() }]
  })

export const takeLogs = (app: FastifyInstance, { sink, ...options }: LogIntakeOptions): void => {
  const deliver = createDeliveries(options)
  app.post('/logs', async (request, reply) => {
    const stored = await deliver(request, reply, async (body, turn) => {
      const lines = body.toString('utf8').split('\n')
      let kept = 0
      for (let from = 0; from < lines.length; from += linesAtOnce)
        kept += await turn(async () => {
          const some = linesIn(lines.slice(from, from + linesAtOnce))
          if (some.length > 0) await sink.store(some)
          return some.length
        })
      return { stored: kept, dropped: lines.filter((line) => line.trim() !== '').length - kept }
    })
    return reply.send(stored)
  })
}
