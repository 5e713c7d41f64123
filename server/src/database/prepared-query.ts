import type { CompiledQuery, Kysely } from 'kysely'
import type { Tables } from './tables.ts'

export interface Compilable<R> {
  compile(): CompiledQuery<R>
}

/** Placeholder for a value during compilation. No real value starts like this. */
const createSlot = (position: number): string => `\0slot ${position}`

const preparedStatements = new Set<string>()

/** Returns whether a statement is run repeatedly, so that the database should keep it prepared. */
export const isPrepared = (text: string): boolean => preparedStatements.has(text)

/**
 * Creates a query that is built and compiled on first use and then only run with other values, because building one
 * costs more than SQLite takes to run it. The query must use the values unchanged.
 */
export const prepared = <P extends readonly (string | number)[], R>(
  db: Kysely<Tables>,
  build: (...values: P) => Compilable<R>,
): ((...values: P) => Promise<R[]>) => {
  const slots = Array.from({ length: build.length }, (_, position) => createSlot(position))
  let compiled: CompiledQuery<R> | undefined
  let placeholders: readonly (number | undefined)[] = []
  const compile = (): CompiledQuery<R> => {
    // The slots replace values of other types only while the query is built.
    const query = build(...(slots as unknown as P)).compile()
    placeholders = query.parameters.map((parameter) => {
      const position = slots.indexOf(String(parameter))
      return position < 0 ? undefined : position
    })
    preparedStatements.add(query.sql)
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
