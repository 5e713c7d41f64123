/**
 * Returns the code of an error of the operating system, SQLite, a database server, or Node, or an empty string if the
 * error has none.
 */
export const getErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
