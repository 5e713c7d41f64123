import { zodResolver } from '@hookform/resolvers/zod'
import type { FieldValues, Resolver } from 'react-hook-form'
import type { z } from '../zod.ts'

/** The resolver of a form, which validates what the user has changed. */

/** Parameters of an issue that prevents every save, also if the stored record has it. */
export const alwaysRefused = { isAlwaysRefused: true } as const

/**
 * Returns a resolver that accepts values which are stored already: an invalid field that the user has not changed does not
 * prevent a save. The server decides whether it refuses the record.
 * The context of the form contains the stored values, and is absent for a new record.
 */
export const createChangeResolver = <Values extends FieldValues>(
  schema: z.ZodMiniType<Values, Values>,
): Resolver<Values, Values | undefined> => {
  const validate = zodResolver(schema)
  return async (values, stored, options) => {
    const result = await validate(values, stored, options)
    if (!stored || Object.keys(result.errors).length === 0) return result
    const { withoutStoredIssues } = await import('./stored-issues.ts')
    return withoutStoredIssues(schema, { values, stored }, options)
  }
}
