import { type FieldPath, type FieldValues, useFormContext } from 'react-hook-form'

/**
 * What is wrong with a field of a row. Adding a row checks the whole list; of one that nobody has been in yet, nothing is
 * said before the form is saved.
 */
export const useRowError = <Values extends FieldValues>() => {
  const { formState, getFieldState } = useFormContext<Values>()
  // What is read of it here is told when it changes.
  const { isSubmitted, touchedFields: _touched, errors: _errors } = formState
  return (name: FieldPath<Values>): string | undefined => {
    const { isTouched, error } = getFieldState(name, formState)
    return isTouched || isSubmitted ? error?.message : undefined
  }
}
