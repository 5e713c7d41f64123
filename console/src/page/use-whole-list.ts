import type { UseQueryResult } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { TableSort } from '../ui/data-table.tsx'
import type { ListView } from './list.tsx'
import type { ListSearch } from './list-search.ts'
import { matches } from './match.ts'
import type { Screen } from './screen.ts'
import { type SortableColumn, sorted, sortIn, sortSaid } from './sort-rows.ts'
import { useHeld } from './use-held.ts'
import { useListSearch } from './use-list-search.ts'

interface WholeListOptions<Row, Path extends string, Search extends ListSearch> {
  screen: Screen<Path, Search>
  query: UseQueryResult<Row[]>
  /** what is asked for: another one's rows are shown at once */
  question: string
  columns: readonly SortableColumn<Row>[]
  rowKey: (row: Row) => string
  /** the texts in which the filter looks: those that are shown */
  texts: (row: Row) => readonly (string | null)[]
}

/** A list that the API sends as a whole: filtered and put in order here, at every key. */
export const useWholeList = <Row, Path extends string, Search extends ListSearch>(
  options: WholeListOptions<Row, Path, Search>,
) => {
  const { screen, query, question, columns, rowKey, texts } = options
  const address = useListSearch(screen)
  const { filter = '', sort: said } = address.search
  const held = useHeld({ query, question, rowsOf: (rows: readonly Row[]) => rows, rowKey })
  const all = held.data
  const sort = useMemo(() => sortIn(said), [said])
  const rows = useMemo(
    () =>
      all &&
      sorted(
        all.filter((row) => matches(filter, texts(row))),
        columns,
        sort,
      ),
    [all, filter, texts, columns, sort],
  )
  const shown = useMemo(
    () => columns.map((column) => ({ ...column, sortable: column.sortBy !== undefined })),
    [columns],
  )
  const view: ListView<Row> = {
    query,
    rows,
    total: rows?.length ?? 0,
    whole: all?.length ?? 0,
    held,
    isFiltered: filter !== '' && all?.length !== 0,
    clearFilters: () => address.change({ filter: undefined } as Partial<Search>),
  }
  return {
    view,
    table: {
      columns: shown,
      rowKey,
      ...(sort ? { sort } : {}),
      onSort: (wanted: TableSort) => address.change({ sort: sortSaid(wanted) } as Partial<Search>),
    },
    /** for the field of the filter */
    filter: { value: filter, onChange: address.type, onBlur: address.settle },
  }
}
