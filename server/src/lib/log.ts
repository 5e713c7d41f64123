import type { FastifyServerOptions } from 'fastify'
import { getErrorCode } from './error-code.ts'
import { getWorkContext } from './spans.ts'

/** The server's log: JSON lines, or readable lines on a terminal. */

/** Destination of log lines. */
export interface LogStream {
  write(line: string): void
}

interface LoggedError {
  [more: string]: unknown

  type: string
  message: string
  code?: string
  /** Stack frames, without the message. */
  stack: string
  cause?: LoggedError
}

/**
 * Logs a failure of work that no request waits for. `message` is constant, so that operators can search for it; values
 * belong in `fields`.
 */
export type OnBackgroundError = (error: unknown, message: string, fields?: Readonly<Record<string, unknown>>) => void

const getFrames = ({ stack = '' }: Error): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')

/**
 * Returns the fields of an error that are logged. Others are omitted, because libraries attach statements, commands,
 * and requests to their errors.
 */
export const errorForLog = (error: unknown): LoggedError => {
  if (!(error instanceof Error)) return { type: typeof error, message: 'not an Error, but thrown', stack: '' }
  const code = getErrorCode(error)
  return {
    type: error.name === 'Error' ? error.constructor.name : error.name,
    message: error.message,
    ...(code ? { code } : {}),
    stack: getFrames(error),
    ...(error.cause === undefined ? {} : { cause: errorForLog(error.cause) }),
  }
}

const secretHeaders = ['req.headers.authorization', 'req.headers.cookie']

/** Adds the request and the span that the current work belongs to. The logger of a request adds its ID itself. */
const describeWork = (_fields: object, _level: number, logger: { bindings(): object }): object => {
  const { requestId, span } = getWorkContext() ?? {}
  return {
    ...(requestId === undefined || Object.hasOwn(logger.bindings(), 'reqId') ? {} : { reqId: requestId }),
    ...(span === undefined ? {} : { trace_id: span.traceId, span_id: span.spanId }),
  }
}

export const loggerOptions = (level: string, stream: LogStream) =>
  ({
    level,
    stream,
    redact: secretHeaders,
    serializers: { err: errorForLog },
    mixin: describeWork,
  }) satisfies FastifyServerOptions['logger']

const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

interface Entry {
  /** Values that the message refers to. */
  [field: string]: unknown

  level: number
  time: number
  /** ID of the request that the line refers to. */
  reqId?: string
  msg?: string
  err?: LoggedError
}

/** Replaces control characters, which could move the cursor of a terminal or start another line. */
const withoutControlCharacters = (text: string): string => text.replace(/\p{Cc}+/gu, ' ')

const formatValue = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** Formats a JSON line for a terminal. */
export const asText = (line: string): string => {
  const { level, time, pid: _pid, hostname: _hostname, reqId, msg, err, ...fields } = JSON.parse(line) as Entry
  const clock = new Date(time).toTimeString().slice(0, 8)
  const summary = [msg, err?.message].filter((text, at, all) => text && all.indexOf(text) === at).join(': ')
  const values = Object.entries(fields).map(([name, value]) => ` ${name}=${formatValue(value)}`)
  const request = reqId === undefined ? '' : ` (request ${reqId})`
  const text = withoutControlCharacters(summary + values.join('') + request)
  return `  ${clock} ${levels[level] ?? level}: ${text}\n${level >= 50 && err?.stack ? `${err.stack}\n` : ''}`
}

/** Writes readable lines to a terminal, and JSON lines elsewhere. */
export const createLogStream = (out: LogStream & { isTTY?: boolean }): LogStream =>
  out.isTTY === true ? { write: (line) => out.write(asText(line)) } : out
