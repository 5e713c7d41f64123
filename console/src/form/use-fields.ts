import { type FieldPath, type FieldValues, type RegisterOptions, useFormContext } from 'react-hook-form'

/**
 * Returns a function that connects a field to the surrounding form. Its result has the props of an input, and the
 * message of the field's validation error.
 */
export const useFields = <Values extends FieldValues>() => {
  const { register, getFieldState, formState } = useFormContext<Values>()
  return <Name extends FieldPath<Values>>(name: Name, options?: RegisterOptions<Values, Name>) => ({
    ...register(name, options),
    error: getFieldState(name, formState).error?.message,
  })
}
