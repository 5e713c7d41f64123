import type { ListPage } from '@patchbay/contract/api/list-pages'
import { LastTotals, readCountedPage } from '../../lib/counted-page.ts'

type Values = readonly (string | number)[]
type Page<V extends Values, Row> = (...values: [...V, limit: number, offset: number]) => Promise<Row[]>

/** Prepared queries of pages, which all take the same values. */
export interface PageQueries<V extends Values, Row> {
  selectPage: Page<V, Row>
  /** Returns rows in the order of the list, but counts the offset from its end. Reads few rows for the last pages. */
  selectFromEnd: Page<V, Row>
  /** MySQL counts in a bigint, which its driver may return as a string. */
  count(...values: V): Promise<{ total: number | string }[]>
}

/** Prepared queries of a list. */
export interface ListQueries<V extends Values, Row> extends PageQueries<V, Row> {
  selectAll(...values: V): Promise<Row[]>
  /** True if the queries look for a part of a text, so that a page with few matches reads the whole list. */
  isSearch: boolean
  /**
   * For lists whose owner may have few of the rows in the table. Such an owner's rows are read and sorted, because
   * reading the table in the order of the list would skip the rows of all other owners.
   */
  ofSmallOwner?: PageQueries<V, Row> & {
    /** Counts the rows of the owner up to `smallOwnerRows` + 1. */
    countSome(...values: V): Promise<{ total: number | string }[]>
  }
}

/** Number of rows up to which the rows of an owner are sorted for a page. */
export const smallOwnerRows = 2000

const toNumber = ([counted]: readonly { total: number | string }[]): number => Number(counted?.total ?? 0)

const isSmallOwner = async <V extends Values, Row>(
  { ofSmallOwner }: ListQueries<V, Row>,
  values: V,
): Promise<boolean> => ofSmallOwner !== undefined && toNumber(await ofSmallOwner.countSome(...values)) <= smallOwnerRows

/**
 * Returns whether a page with this number of rows contains the end of the list, so that the rows need not be counted. An
 * empty page can lie beyond the end.
 */
export const containsEnd = (rows: number, size: number, offset: number): boolean =>
  rows < size && (rows > 0 || offset === 0)

/** Reads the page of a search first. If it is not full, it is the last one, and the matches need not be counted. */
const searchPage = async <V extends Values, Row>(
  queries: PageQueries<V, Row>,
  values: V,
  size: number,
  offset: number,
) => {
  const rows = await queries.selectPage(...values, size, offset)
  const isCounted = containsEnd(rows.length, size, offset)
  return { rows, total: isCounted ? offset + rows.length : toNumber(await queries.count(...values)) }
}

/** Counts the list and reads the page from its nearer end. */
const findPage = <V extends Values, Row>(
  queries: PageQueries<V, Row>,
  values: V,
  size: number,
  offset: number,
  lastTotal: number | undefined,
) =>
  readCountedPage<Row>(
    {
      count: async () => toNumber(await queries.count(...values)),
      select: (read) =>
        (read.direction === 'forward' ? queries.selectPage : queries.selectFromEnd)(...values, read.limit, read.offset),
    },
    size,
    offset,
    lastTotal,
  )

const totalsByList = new WeakMap<object, LastTotals>()

const getLastTotals = (list: object): LastTotals => {
  const totals = totalsByList.get(list) ?? new LastTotals()
  totalsByList.set(list, totals)
  return totals
}

/** Reads a page and the total count. `convert` converts a row to its API representation. */
export const readPage = async <V extends Values, Row, Converted>(
  list: ListQueries<V, Row>,
  values: V,
  { page, page_size }: ListPage,
  convert: (row: Row) => Converted,
) => {
  const offset = Math.max(0, page - 1) * page_size
  const lastTotals = getLastTotals(list)
  const key = JSON.stringify(values)
  const lastTotal = lastTotals.get(key) ?? 0
  const isSmall = lastTotal <= smallOwnerRows && (await isSmallOwner(list, values))
  const queries = (isSmall ? list.ofSmallOwner : undefined) ?? list
  const isSearch = list.isSearch && page_size > 0 && lastTotal <= offset + page_size
  const { rows, total } = isSearch
    ? await searchPage(queries, values, page_size, offset)
    : await findPage(queries, values, page_size, offset, lastTotal)
  lastTotals.set(key, total)
  return { total, page, page_size, data: rows.map(convert) }
}

/** Reads a page if one is requested, otherwise all rows. */
export const readList = async <V extends Values, Row, Converted>(
  queries: ListQueries<V, Row>,
  values: V,
  page: ListPage | undefined,
  convert: (row: Row) => Converted,
) => (page === undefined ? (await queries.selectAll(...values)).map(convert) : readPage(queries, values, page, convert))

/** Returns a page of few rows that have been read as a whole, or all of them if no page is requested. */
export const toPage = <Row, Converted>(
  rows: readonly Row[],
  page: ListPage | undefined,
  convert: (row: Row) => Converted,
) => {
  if (page === undefined) return rows.map(convert)
  const offset = Math.max(0, page.page - 1) * page.page_size
  return { total: rows.length, ...page, data: rows.slice(offset, offset + page.page_size).map(convert) }
}

/** Returns a LIKE pattern that matches `part` anywhere. The API passes the wildcards % and _ in `part` on. */
export const toLikePattern = (part = ''): string => `%${part}%`
