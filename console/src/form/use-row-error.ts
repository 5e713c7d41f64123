import { type FieldPath, type FieldValues, useFormContext } from 'react-hook-form'

/**
 * Returns the error of a field in a row. Adding a row validates the whole list, so errors of an untouched row are
 * hidden
 * until the form is saved.
 */
export const useRowError = <Values extends FieldValues>() => {
  const { formState, getFieldState } = useFormContext<Values>()
  // Reading these members subscribes to their changes.
  const { isSubmitted, touchedFields: _touched, errors: _errors } = formState
  return (name: FieldPath<Values>): string | undefined => {
    const { isTouched, error } = getFieldState(name, formState)
    return isTouched || isSubmitted ? error?.message : undefined
  }
}
