import { getErrorCode } from '../../lib/error-code.ts'

/** Error handler for file operations. Returns undefined if the file does not exist, and rethrows other errors. */
export const ignoreMissingFile = (error: unknown): undefined => {
  if (['ENOENT', 'ENOTDIR'].includes(getErrorCode(error))) return undefined
  throw error
}
