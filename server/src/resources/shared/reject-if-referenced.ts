import { throwApiError } from '@patchbay/contract/errors'
import { classifyDbError } from '../../database/engine.ts'

/**
 * Runs a deletion; when something else still refers to what it deletes, that is the refusal. SQLite's error does not
 * say which side of the reference failed, but a deletion can only fail on the one.
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
