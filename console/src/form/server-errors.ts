import type { FieldPath, FieldValues } from 'react-hook-form'
import type { ApiError } from '../api/api-error.ts'
import { flattenValues } from './compare-values.ts'

/** Error messages by field. */
export type FieldErrors<Values extends FieldValues> = Partial<Record<FieldPath<Values>, string>>

/**
 * Maps an error response to fields: as the form does, or to the field that has the name which the server states. The bar of
 * the form then names the field with its tab and section.
 */
export const toFormErrors = <Values extends FieldValues>(
  failure: ApiError,
  values: Values,
  toFieldErrors: (failure: ApiError) => FieldErrors<Values> = () => ({}),
): FieldErrors<Values> => {
  const errors = toFieldErrors(failure)
  const { field, detail, message } = failure
  if (Object.keys(errors).length > 0 || field === undefined || !flattenValues(values).has(field)) return errors
  // The cast is safe: the values have a field of this name.
  return { [field]: detail ?? message } as FieldErrors<Values>
}
