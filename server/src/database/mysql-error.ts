/** The members of the driver's errors, of which the errors of sockets have only some. */
interface DriverError extends Error {
  code?: string | null
  errno?: number
  sqlMessage?: string | null
  fatal?: boolean
}

/**
 * Removes the values that a server quotes in an error message, such as "Duplicate entry 'x'", but keeps index names.
 * Values are sent separately from the statement, so the statement's text contains none.
 */
const withoutValues = (message: string, sql: string): string => {
  const index = / for key '[\w.]+'$/.exec(message)?.[0] ?? ''
  const quote = message.search(/['"`]/)
  const prefix = quote < 0 ? message : `${message.slice(0, quote).trimEnd()} …`
  return `${prefix}${index}, in: ${sql.slice(0, 200)}`
}

interface ErrorDetails {
  code?: string | null | undefined
  errno?: number | undefined
  fatal?: boolean | undefined
}

/** Replaces the errors of the driver, whose messages contain the values of the statement. */
export class MysqlError extends Error {
  readonly code: string | undefined
  readonly errno: number | undefined
  /** Whether the connection cannot be used any more. */
  readonly fatal: boolean

  constructor(message: string, { code, errno, fatal = false }: ErrorDetails) {
    super(message)
    this.code = code ?? undefined
    this.errno = errno
    this.fatal = fatal
  }
}

/** The driver's message for `responseTimeoutSeconds` is "socket timeout", which does not name the cause. */
const describeError = ({ code, message }: DriverError, sqlMessage = message): string =>
  code === 'ER_SOCKET_TIMEOUT' ? 'the database server did not respond in time' : sqlMessage

const isDriverError = (error: unknown): error is DriverError => error instanceof Error && 'code' in error

/** Converts an error of the driver. Returns errors of other kinds unchanged. */
export const toMysqlError = (error: unknown, sql: string): unknown => {
  if (!isDriverError(error)) return error
  const { code, errno, sqlMessage } = error
  if (typeof sqlMessage !== 'string') return new MysqlError(error.message, error)
  // The driver names the numbers that it knows. The message of a trigger may contain anything.
  if (code === 'UNKNOWN' || code === 'ER_SIGNAL_EXCEPTION')
    return new MysqlError(withoutValues(`refused with ${errno}`, sql), {
      ...error,
      code: code === 'UNKNOWN' ? null : code,
    })
  return new MysqlError(withoutValues(describeError(error, sqlMessage), sql), error)
}

/** Converts an error of the handshake, which contains no values. It is fatal: the database is unavailable. */
export const toConnectionError = (error: unknown): unknown =>
  isDriverError(error)
    ? new MysqlError(describeError(error, error.sqlMessage ?? undefined), {
        code: error.code,
        errno: error.errno,
        fatal: true,
      })
    : error
