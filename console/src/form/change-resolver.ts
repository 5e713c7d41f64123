import { toNestErrors } from '@hookform/resolvers'
import { zodResolver } from '@hookform/resolvers/zod'
import type { FieldErrors, FieldValues, Resolver } from 'react-hook-form'
import type { z } from '../zod.ts'
import { same } from './compare-values.ts'

/** The resolver of a form, which validates what the user has changed. */

interface Issue {
  path: readonly PropertyKey[]
  message: string
  /** Parameters of an issue that a form adds itself. */
  params?: Readonly<Record<string, unknown>> | undefined
}

/** Parameters of an issue that prevents every save, also if the stored record has it. */
export const alwaysRefused = { isAlwaysRefused: true } as const

const getValue = (values: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(
    (value, name) => (typeof value === 'object' && value ? Reflect.get(value, name) : undefined),
    values,
  )

/** Returns the path of the innermost row that contains the value of a path, or undefined if it is in no list. */
const getRowPath = (path: readonly PropertyKey[]): readonly PropertyKey[] | undefined => {
  const index = path.findLastIndex((name) => typeof name === 'number')
  return index < 0 ? undefined : path.slice(0, index + 1)
}

/** Returns the path without the positions of rows, which change when another row is removed. */
const toFieldName = (path: readonly PropertyKey[]): string =>
  path.map((name) => (typeof name === 'number' ? '*' : String(name))).join('.')

/** Returns the issues that the stored values do not have, with the same value in the same field or row. */
export const findNewIssues = <T extends Issue>(
  issues: readonly T[],
  values: object,
  storedIssues: readonly Issue[],
  storedValues: object,
): T[] => {
  const isStored = ({ path, message }: Issue): boolean =>
    storedIssues.some((stored) => {
      if (stored.message !== message || toFieldName(stored.path) !== toFieldName(path)) return false
      const [row, storedRow] = [getRowPath(path), getRowPath(stored.path)]
      if (row && storedRow && same(getValue(values, row), getValue(storedValues, storedRow))) return true
      return same(stored.path, path) && same(getValue(values, path), getValue(storedValues, path))
    })
  return issues.filter((issue) => issue.params?.['isAlwaysRefused'] === true || !isStored(issue))
}

/** Returns the values as the schema converts them, such as texts without surrounding whitespace, although some are invalid. */
const convert = <Values extends FieldValues>(schema: z.ZodMiniType<Values, Values>, values: Values): Values => {
  const { _zod: internals } = schema
  const result = internals.run({ value: values, issues: [] }, { async: false })
  // The cast is safe: a schema of a form converts values to such of the same type.
  return result instanceof Promise ? values : (result.value as Values)
}

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
    const issues = stored && schema.safeParse(values).error?.issues
    if (!stored || !issues) return result
    const newIssues = findNewIssues(issues, values, schema.safeParse(stored).error?.issues ?? [], stored)
    if (newIssues.length === issues.length) return result
    if (newIssues.length === 0) return { values: convert(schema, values), errors: {} }
    // The first issue of a field counts.
    const errors = Object.fromEntries(
      newIssues.toReversed().map(({ path, message }) => [path.map(String).join('.'), { type: 'custom', message }]),
    )
    return { values: {}, errors: toNestErrors(errors as FieldErrors<Values>, options) }
  }
}
