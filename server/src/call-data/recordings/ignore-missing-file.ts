import { getErrorCode } from '../../lib/error-code.ts'

/** Of an act on a file: undefined where there is none. */
export const isAbsent = (error: unknown): undefined => {
  if (['ENOENT', 'ENOTDIR'].includes(getErrorCode(error))) return undefined
  throw error
}
