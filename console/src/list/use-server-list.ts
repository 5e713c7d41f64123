import { clampPage, defaultPageSize, type PageSize, pageCount } from '@patchbay/contract/lists/paging'
import type { UseQueryResult } from '@tanstack/react-query'
import { useEffect } from 'react'
import type { ListSearch } from '../routes/list-search-params.ts'
import type { TableDetails } from '../ui/table/table-props.ts'
import type { ListView } from './list-frame.tsx'
import { useDebouncedFilter } from './use-debounced-filter.ts'
import { useDeferredRows } from './use-deferred-rows.ts'
import type { ListAddress } from './use-list-search.ts'

interface Page<Row> {
  total: number
  data: readonly Row[]
}

interface PagedListOptions<Row, Search extends ListSearch> {
  address: ListAddress<Search>
  query: UseQueryResult<Page<Row>>
  /** Identifies the request as JSON. Rows of another request are displayed immediately. */
  question: unknown
  rowKey: (row: Row) => string
  /** The search parameters that reset the filters. */
  unfiltered: Partial<Search>
}

/** Returns the view of a list that the server filters and returns page by page. */
export const useServerList = <Row, Search extends ListSearch>(options: PagedListOptions<Row, Search>) => {
  const { address, query, question, rowKey, unfiltered } = options
  const { search, change, correct, open } = address
  const deferred = useDeferredRows({ query, question: JSON.stringify(question), getRows: ({ data }) => data, rowKey })
  // The total is current, although new rows wait. They are as many as the total has grown, of which a page has only some.
  const displayedTotal = deferred.data?.total ?? 0
  const total = deferred.fresh > 0 ? (query.data?.total ?? displayedTotal) : displayedTotal
  const fresh = deferred.fresh > 0 ? Math.max(deferred.fresh, total - displayedTotal) : 0
  const size = search.size ?? defaultPageSize
  const page = search.page ?? 1
  // A page after the last one, because records were deleted or the page size has grown, becomes the last page.
  const lastPage = clampPage(page, pageCount(total, size))
  const isPast = deferred.data !== undefined && !query.isPlaceholderData && lastPage !== page
  useEffect(() => {
    if (isPast) correct({ page: lastPage === 1 ? undefined : lastPage } as Partial<Search>)
  })
  const text = useDebouncedFilter(search.filter ?? '', (filter) =>
    change({ filter: filter || undefined } as Partial<Search>),
  )

  const view: ListView<Row> = {
    query,
    rows: deferred.data?.data,
    total,
    whole: total,
    deferred: { fresh, showUpTo: deferred.showUpTo },
    isFiltered: Object.keys(unfiltered).some((name) => Reflect.get(search, name) !== undefined),
    clearFilters: () => change(unfiltered),
    ...(deferred.data && {
      pager: {
        total,
        page: lastPage,
        size,
        onPage: (nextPage: number) => change({ page: nextPage === 1 ? undefined : nextPage } as Partial<Search>),
        onSize: (nextSize: PageSize) =>
          change({ size: nextSize === defaultPageSize ? undefined : nextSize } as Partial<Search>),
      },
    }),
  }
  return {
    view,
    /** Props of the filter field. */
    filter: { value: text.text, onChange: text.setText, pending: text.isPending, onEnter: text.apply },
    /** Returns the props of rows that open. The URL contains the key of the open row. */
    details: (row: Pick<TableDetails<Row>, 'renderLabel' | 'render'>): TableDetails<Row> => ({
      ...row,
      isOpen: (candidate) => rowKey(candidate) === search.open,
      onToggle: (toggled) => open(rowKey(toggled) === search.open ? undefined : rowKey(toggled)),
    }),
  }
}
