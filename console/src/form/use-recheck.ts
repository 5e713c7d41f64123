import { useEffect } from 'react'
import type { FieldPath, FieldValues, UseFormReturn } from 'react-hook-form'

/**
 * Returns the fields with validation errors, excluding server errors. Lists are validated as a whole when a row is
 * added or removed.
 */
const checkedErrors = (errors: object, path = ''): string[] =>
  Object.entries(errors).flatMap(([name, error]: [string, unknown]) => {
    if (typeof error !== 'object' || error === null || name === 'ref') return []
    if (!('message' in error)) return checkedErrors(error, `${path}${name}.`)
    return 'type' in error && error.type && 'ref' in error && error.ref ? [`${path}${name}`] : []
  })

/** Validates invalid fields again when another field changes, whose value can resolve their errors. */
export const useRecheck = <Values extends FieldValues>(form: UseFormReturn<Values>): void =>
  useEffect(
    () =>
      form.subscribe({
        formState: { values: true },
        callback: ({ name }) => {
          const wrong = checkedErrors(form.formState.errors).filter((path) => path !== name)
          if (wrong.length > 0) void form.trigger(wrong as FieldPath<Values>[])
        },
      }),
    [form],
  )
