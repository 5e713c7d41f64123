import {
  type FieldPath,
  type FieldPathByValue,
  type FieldValues,
  get,
  type RegisterOptions,
  useController,
  useFormContext,
} from 'react-hook-form'

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

/** Returns a function that connects a field in a row to the surrounding form, with the error that `useRowError` returns. */
export const useRowFields = <Values extends FieldValues>() => {
  const { register } = useFormContext<Values>()
  const rowError = useRowError<Values>()
  return (name: FieldPath<Values>) => ({ ...register(name), error: rowError(name) })
}

/**
 * Connects a field that is not an input, such as a selection of a record, to the surrounding form. Returns its value, an
 * empty text for none, its other props, and the message of its validation error.
 */
export const useSelection = <Values extends FieldValues>(name: FieldPathByValue<Values, string>) => {
  const { field, fieldState } = useController<Values, FieldPathByValue<Values, string>>({ name })
  // The path allows only texts, which the types of `useController` do not express.
  return { ...field, value: field.value as string, error: fieldState.error?.message }
}
