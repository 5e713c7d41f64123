/**
 * Returns the code of an error of the operating system, SQLite, a database server, or Node. Returns an empty string for
 * an error without a code.
 */
export const getErrorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Error handler for file operations. Returns undefined if the file does not exist, and rethrows other errors. */
export const ignoreMissingFile = (error: unknown): undefined => {
  if (['ENOENT', 'ENOTDIR'].includes(getErrorCode(error))) return undefined
  throw error
}
