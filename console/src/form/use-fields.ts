import { type FieldPath, type FieldValues, get, type RegisterOptions, useFormContext } from 'react-hook-form'

/**
 * Returns a function that returns the validation error of a field.
 *
 * It does not use React Hook Form's `getFieldState`, which also subscribes to the fields that are being validated. The
 * first change of a controlled checkbox was lost in the render that this adds.
 */
export const useFieldErrors = <Values extends FieldValues>() => {
  const { errors } = useFormContext<Values>().formState
  return (name: FieldPath<Values>): string | undefined => {
    const message: unknown = get(errors, `${name}.message`)
    return typeof message === 'string' ? message : undefined
  }
}

/**
 * Returns a function that returns the error of a field in a row. Adding a row validates the whole list, so errors of an
 * untouched row are hidden until the form is saved.
 */
export const useRowError = <Values extends FieldValues>() => {
  const fieldError = useFieldErrors<Values>()
  const { isSubmitted, touchedFields } = useFormContext<Values>().formState
  return (name: FieldPath<Values>): string | undefined =>
    isSubmitted || get(touchedFields, name) === true ? fieldError(name) : undefined
}

/**
 * Returns a function that connects a field to the surrounding form. Its result has the props of an input, and the
 * message of the field's validation error.
 */
export const useFields = <Values extends FieldValues>() => {
  const { register } = useFormContext<Values>()
  const fieldError = useFieldErrors<Values>()
  return <Name extends FieldPath<Values>>(name: Name, options?: RegisterOptions<Values, Name>) => ({
    ...register(name, options),
    error: fieldError(name),
  })
}
