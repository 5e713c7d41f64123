import type { CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

interface Compilable<R> {
  compile(): CompiledQuery<R>
}

/** Stands where a value will; no value of ours begins like this. */
const slot = (position: number): string => `\0slot ${position}`

const texts = new Set<string>()

/** Whether this text is run again and again, so that the database should keep it prepared, too. */
export const isPrepared = (text: string): boolean => texts.has(text)

/**
 * A query that is built and compiled at its first use and then only run, with other values each time: building one
 * costs more than an embedded database takes to answer it. Values must be used in the query as they are given.
 */
export const prepared = <P extends readonly (string | number)[], R>(
  db: Kysely<Tables>,
  build: (...values: P) => Compilable<R>,
): ((...values: P) => Promise<R[]>) => {
  const slots = Array.from({ length: build.length }, (_, position) => slot(position))
  let compiled: CompiledQuery<R> | undefined
  let placeholders: readonly (number | undefined)[] = []
  const compile = (): CompiledQuery<R> => {
    // Only for as long as the query is built do the slots stand for values of their types.
    const query = build(...(slots as unknown as P)).compile()
    placeholders = query.parameters.map((parameter) => {
      const position = slots.indexOf(String(parameter))
      return position < 0 ? undefined : position
    })
    texts.add(query.sql)
    return query
  }
  return async (...values) => {
    compiled ??= compile()
    const constant = compiled.parameters
    const parameters = placeholders.map((position, index) =>
      position === undefined ? constant[index] : values[position],
    )
    const { rows } = await db.executeQuery<R>({ ...compiled, parameters })
    return rows
  }
}
