import type { FastifyServerOptions } from 'fastify'
import { getErrorCode } from './error-code.ts'

/** The server's log: JSON lines, or lines of text on a terminal. */

/** Where lines go. */
export interface LogStream {
  write(line: string): void
}

interface LoggedError {
  [more: string]: unknown

  type: string
  message: string
  code?: string
  /** where, without the message */
  stack: string
  cause?: LoggedError
}

const framesOf = ({ stack = '' }: Error): string =>
  stack
    .split('\n')
    .filter((line) => /^\s+at /.test(line))
    .join('\n')

/** Libraries hang whole statements, commands and requests on their errors: no more than this is told of one. */
export const errorForLog = (error: unknown): LoggedError => {
  if (!(error instanceof Error)) return { type: typeof error, message: 'no error, but thrown like one', stack: '' }
  const code = getErrorCode(error)
  return {
    type: error.name === 'Error' ? error.constructor.name : error.name,
    message: error.message,
    ...(code ? { code } : {}),
    stack: framesOf(error),
    ...(error.cause === undefined ? {} : { cause: errorForLog(error.cause) }),
  }
}

const secretHeaders = ['req.headers.authorization', 'req.headers.cookie']

export const loggerOptions = (level: string, stream: LogStream) =>
  ({ level, stream, redact: secretHeaders, serializers: { err: errorForLog } }) satisfies FastifyServerOptions['logger']

const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'warn',
  50: 'error',
  60: 'fatal',
}

interface Entry {
  level: number
  time: number
  /** of the request that it is about */
  reqId?: string
  msg?: string
  err?: LoggedError
}

/** What would move a terminal's cursor, or begin another line, is no part of a message. */
const printable = (text: string): string => text.replace(/\p{Cc}+/gu, ' ')

/** A line of JSON as a person reads it. */
export const asText = (line: string): string => {
  const { level, time, reqId, msg, err } = JSON.parse(line) as Entry
  const clock = new Date(time).toTimeString().slice(0, 8)
  const said = [msg, err?.message].filter((text, at, all) => text && all.indexOf(text) === at).join(': ')
  const request = reqId === undefined ? '' : ` (request ${reqId})`
  return `  ${clock} ${levels[level] ?? level}: ${printable(said + request)}\n${level >= 50 && err?.stack ? `${err.stack}\n` : ''}`
}

/** What is read by a person where the server runs, and by programs elsewhere. */
export const createLogStream = (out: LogStream & { isTTY?: boolean }): LogStream =>
  out.isTTY === true ? { write: (line) => out.write(asText(line)) } : out
