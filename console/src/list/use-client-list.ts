import { useMemo } from 'react'
import type { Screen } from '../routes/define-screen.ts'
import type { ListSearch } from '../routes/list-search-params.ts'
import type { TableSort } from '../ui/table/table-props.ts'
import type { ListView } from './list-frame.tsx'
import { formatSort, parseSort, type SortableColumn, sorted } from './sort-rows.ts'
import { useDeferredRows } from './use-deferred-rows.ts'
import { useListSearch } from './use-list-search.ts'

interface WholeListOptions<Row, Path extends string, Search extends ListSearch> {
  screen: Screen<Path, Search>
  query: ListView<Row>['query'] & { data: Row[] | undefined }
  /** Identifies the request. Rows of another request are displayed immediately. */
  question: string
  columns: readonly SortableColumn<Row>[]
  rowKey: (row: Row) => string
  /** The default order as a URL parameter. Without it, the rows keep the order of the response. */
  order?: string
  /** Returns the displayed texts that the filter searches. */
  searchValues: (row: Row) => readonly (string | null)[]
  /** Filters besides the text: `keep` returns whether a row matches, `unfiltered` resets them in the URL. */
  filters?: { keep: (row: Row, search: Search) => boolean; unfiltered: Partial<Search> }
}

/** Returns whether every word of the filter is in one of the values, ignoring case. */
export const matches = (filter: string, values: readonly (string | null)[]): boolean => {
  const lowerCased = values.filter((text) => text !== null).map((text) => text.toLowerCase())
  const terms = filter.toLowerCase().split(/\s+/).filter(Boolean)
  return terms.every((word) => lowerCased.some((text) => text.includes(word)))
}

/**
 * Returns the view of a list whose rows the API returns in a single response. Filters and sorts them in the browser.
 */
export const useClientList = <Row, Path extends string, Search extends ListSearch>(
  options: WholeListOptions<Row, Path, Search>,
) => {
  const { screen, query, question, columns, order, rowKey, searchValues, filters } = options
  const address = useListSearch(screen)
  const { search } = address
  const { filter = '', sort: sortParam } = search
  const deferred = useDeferredRows({ query, question, getRows: (rows: readonly Row[]) => rows, rowKey })
  const all = deferred.data
  const sort = useMemo(() => parseSort(sortParam), [sortParam])
  // The rows are sorted once, and not again when the filter changes.
  const ordered = useMemo(() => all && sorted(all, columns, sort ?? parseSort(order)), [all, columns, sort, order])
  const rows = useMemo(
    () => ordered?.filter((row) => (filters?.keep(row, search) ?? true) && matches(filter, searchValues(row))),
    [ordered, filter, filters, search, searchValues],
  )
  const filteredRows = useMemo(
    () => columns.map((column) => ({ ...column, sortable: Boolean(column.sortBy) })),
    [columns],
  )
  const unfiltered = filters?.unfiltered ?? {}
  const view: ListView<Row> = {
    query,
    rows,
    total: rows?.length ?? 0,
    whole: all?.length ?? 0,
    deferred,
    isFiltered:
      all?.length !== 0 && [filter, ...Object.keys(unfiltered).map((name) => Reflect.get(search, name))].some(Boolean),
    clearFilters: () => address.change({ filter: undefined, ...unfiltered } as Partial<Search>),
  }
  return {
    view,
    /** For further filters. */
    address,
    table: {
      columns: filteredRows,
      rowKey,
      ...(sort ? { sort } : {}),
      onSort: (nextSort: TableSort) => address.change({ sort: formatSort(nextSort) } as Partial<Search>),
    },
    /** Props of the filter field. */
    filter: { value: filter, onChange: address.type, onBlur: address.settle },
  }
}
