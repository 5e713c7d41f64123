import { throwApiError } from '@patchbay/contract/api/errors'
import { classifyDbError } from '../../database/engine.ts'

/**
 * Runs a deletion. Throws an API error if another row refers to a deleted one. SQLite does not report which side of the
 * reference failed, but a deletion can only fail because the row is referenced.
 */
export const rejectIfReferenced = async <T>(deletion: () => Promise<T>): Promise<T> => {
  try {
    return await deletion()
  } catch (error) {
    const fault = classifyDbError(error)?.fault
    if (fault === 'missing_parent' || fault === 'still_referenced')
      return throwApiError('duplicate', { msg: 'still in use by something else' })
    throw error
  }
}
