import { useMemo } from 'react'
import type { TableSort } from '../ui/data-table.tsx'
import type { ListView } from './list.tsx'
import type { ListSearch } from '../routes/list-search-params.ts'
import { matches } from './text-match.ts'
import type { Screen } from '../routes/define-screen.ts'
import { type SortableColumn, sorted, parseSort, formatSort } from './sort-rows.ts'
import { useDeferredRows } from './use-deferred-rows.ts'
import { useListSearch } from './use-list-search.ts'

interface WholeListOptions<Row, Path extends string, Search extends ListSearch> {
  screen: Screen<Path, Search>
  query: ListView<Row>['query'] & { data: Row[] | undefined }
  /** Identifies the request. Rows of another request are displayed immediately. */
  question: string
  columns: readonly SortableColumn<Row>[]
  rowKey: (row: Row) => string
  /** the column whose order the rows have until another is chosen; without it they stand as they come */
  order?: string
  /** the texts in which the filter looks: those that are shown */
  searchValues: (row: Row) => readonly (string | null)[]
  /** the filters beside the text: whether they let a row through, and how the address is without them */
  filters?: { keep: (row: Row, search: Search) => boolean; unfiltered: Partial<Search> }
}

/** A list that the API sends as a whole: filtered and put in order here, at every key. */
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
  // Put in order once, and not again at every key.
  const ordered = useMemo(() => all && sorted(all, columns, sort ?? parseSort(order)), [all, columns, sort, order])
  const rows = useMemo(
    () => ordered?.filter((row) => (filters?.keep(row, search) ?? true) && matches(filter, searchValues(row))),
    [ordered, filter, filters, search, searchValues],
  )
  const filteredRows = useMemo(
    () => columns.map((column) => ({ ...column, sortable: column.sortBy !== undefined })),
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
    /** for what else narrows it */
    address,
    table: {
      columns: filteredRows,
      rowKey,
      ...(sort ? { sort } : {}),
      onSort: (nextSort: TableSort) => address.change({ sort: formatSort(nextSort) } as Partial<Search>),
    },
    /** for the field of the filter */
    filter: { value: filter, onChange: address.type, onBlur: address.settle },
  }
}
