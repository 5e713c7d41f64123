import { toNestErrors } from '@hookform/resolvers'
import type { FieldErrors, FieldValues, ResolverOptions, ResolverResult } from 'react-hook-form'
import type { z } from '../zod.ts'
import { same } from './compare-values.ts'

/** Issues of a form that the stored record has too. Loads when a form with stored values has an invalid field. */

interface Issue {
  path: readonly PropertyKey[]
  message: string
  /** Parameters of an issue that a form adds itself. */
  params?: Readonly<Record<string, unknown>> | undefined
}

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

/** Returns the result of a validation that has failed, without the issues that the stored values have too. */
export const withoutStoredIssues = <Values extends FieldValues>(
  schema: z.ZodMiniType<Values, Values>,
  { values, stored }: { values: Values; stored: Values },
  options: ResolverOptions<Values>,
): ResolverResult<Values> => {
  const issues = schema.safeParse(values).error?.issues ?? []
  const newIssues = findNewIssues(issues, values, schema.safeParse(stored).error?.issues ?? [], stored)
  if (newIssues.length === 0) return { values: convert(schema, values), errors: {} }
  // The first issue of a field counts.
  const errors = Object.fromEntries(
    newIssues.toReversed().map(({ path, message }) => [path.map(String).join('.'), { type: 'custom', message }]),
  )
  return { values: {}, errors: toNestErrors(errors as FieldErrors<Values>, options) }
}
