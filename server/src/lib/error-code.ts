/**
 * Returns the code of an error of the operating system, SQLite, a database server, or Node. Returns an empty string for
 * an error without a code.
 */
export const getErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
