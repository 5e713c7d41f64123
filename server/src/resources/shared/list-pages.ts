import type { ListPage } from '@patchbay/contract/list-pages'

/** One list, asked for with the same values in three ways; each made by `prepared`. */
export interface ListQueries<Values extends readonly (string | number)[], Row> {
  whole(...values: Values): Promise<Row[]>
  some(...values: [...Values, limit: number, offset: number]): Promise<Row[]>
  /** MySQL counts in a bigint, which its driver may give as text. */
  count(...values: Values): Promise<{ total: number | string }[]>
}

/** The page that is asked for, and how many rows there are in all; each as it is shown. */
export const readPage = async <Values extends readonly (string | number)[], Row, Shown>(
  queries: Omit<ListQueries<Values, Row>, 'whole'>,
  values: Values,
  { page, page_size }: ListPage,
  shown: (row: Row) => Shown,
) => {
  const offset = Math.max(0, page - 1) * page_size
  const [[counted], rows] = await Promise.all([
    queries.count(...values),
    page_size === 0 ? [] : queries.some(...values, page_size, offset),
  ])
  return { total: Number(counted?.total ?? 0), page, page_size, data: rows.map(shown) }
}

/** A page where one is asked for, else all of them. */
export const readList = async <Values extends readonly (string | number)[], Row, Shown>(
  queries: ListQueries<Values, Row>,
  values: Values,
  asked: ListPage | undefined,
  shown: (row: Row) => Shown,
) => (asked === undefined ? (await queries.whole(...values)).map(shown) : readPage(queries, values, asked, shown))

/** `part` anywhere; in it % and _ stand for any, as on the wire. */
export const anywhere = (part = ''): string => `%${part}%`
