import { type FormEvent, useState } from 'react'

/**
 * Returns the errors of a simple form. They appear when the form is sent, and a message goes as soon as its field is
 * corrected.
 * @param validate returns the messages of the invalid fields
 */
export const useFormErrors = <Errors extends object>(validate: (form: HTMLFormElement) => Errors) => {
  const [errors, setErrors] = useState<Partial<Errors>>({})
  return {
    errors,
    /** Shows errors that the server found. They go with the next change of the form. */
    setErrors,
    /** Shows the errors of the form. Returns whether there are any. */
    findErrors: (form: HTMLFormElement): boolean => {
      const found = validate(form)
      setErrors(found)
      return Object.values(found).some((message) => message !== undefined)
    },
    /** The handler for changes within the form. */
    onChange: ({ currentTarget }: FormEvent<HTMLFormElement>) => {
      const found = validate(currentTarget)
      // A field that shows no message gets none before the form is sent again.
      setErrors((previous) => {
        const remaining = Object.entries(found).filter(([name]) => Reflect.get(previous, name) !== undefined)
        return Object.fromEntries(remaining) as Partial<Errors>
      })
    },
  }
}
