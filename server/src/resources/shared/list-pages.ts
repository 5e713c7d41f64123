import type { ListPage } from '@patchbay/contract/list-pages'

/** Prepared queries of a list, which all take the same values. */
export interface ListQueries<Values extends readonly (string | number)[], Row> {
  selectAll(...values: Values): Promise<Row[]>
  selectPage(...values: [...Values, limit: number, offset: number]): Promise<Row[]>
  /** MySQL counts in a bigint, which its driver may return as a string. */
  count(...values: Values): Promise<{ total: number | string }[]>
}

/** Reads a page and the total count. `convert` converts a row to its API representation. */
export const readPage = async <Values extends readonly (string | number)[], Row, Converted>(
  queries: Omit<ListQueries<Values, Row>, 'selectAll'>,
  values: Values,
  { page, page_size }: ListPage,
  convert: (row: Row) => Converted,
) => {
  const offset = Math.max(0, page - 1) * page_size
  const [[counted], rows] = await Promise.all([
    queries.count(...values),
    page_size === 0 ? [] : queries.selectPage(...values, page_size, offset),
  ])
  return { total: Number(counted?.total ?? 0), page, page_size, data: rows.map(convert) }
}

/** Reads a page if one is requested, otherwise all rows. */
export const readList = async <Values extends readonly (string | number)[], Row, Converted>(
  queries: ListQueries<Values, Row>,
  values: Values,
  page: ListPage | undefined,
  convert: (row: Row) => Converted,
) => (page === undefined ? (await queries.selectAll(...values)).map(convert) : readPage(queries, values, page, convert))

/** Returns a LIKE pattern that matches `part` anywhere. The API passes the wildcards % and _ in `part` on. */
export const toLikePattern = (part = ''): string => `%${part}%`
