/** The code of an error of the system, of SQLite's, of a database server's or of Node's; empty where it has none. */
export const getErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''
