import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { ApiError, errorMessage } from '../api/api-error.ts'
import { retryPendingReads } from '../api/query-client.ts'
import { QueryFailed, RefetchErrorBanner } from '../feedback/query-failed.tsx'
import type { Screen } from '../routes/define-screen.ts'
import { ScreenHeader } from '../screen/screen-header.tsx'
import { Button } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { countText, type Nouns } from '../ui/format/text.ts'
import { DataTable } from '../ui/table/data-table.tsx'
import { FilterBar, SearchField, type SearchFieldProps } from '../ui/table/filter-bar.tsx'
import { ListBar } from '../ui/table/list-bar.tsx'
import states from '../ui/table/list-state.module.css'
import {
  EmptyState,
  type EmptyStateProps,
  FilteredEmptyState,
  type FilteredEmptyStateProps,
  Forbidden,
} from '../ui/table/list-state.tsx'
import { Pager, type PagerProps } from '../ui/table/pager.tsx'
import type { DataTableProps } from '../ui/table/table-props.ts'
import { type OpenFilter, useAccountName, useOpenFilter } from './account-choice.ts'
import { consumeHighlight } from './list-navigation-state.ts'
import type { DeferredRows } from './use-deferred-rows.ts'

/** The content of a list, created by `useClientList` or `useServerList`. */
export interface ListView<Row> {
  query: Pick<
    UseQueryResult,
    'error' | 'isPending' | 'isFetching' | 'isPlaceholderData' | 'dataUpdatedAt' | 'refetch' | 'fetchStatus'
  >
  /** The visible rows. Undefined until the first response. */
  rows: readonly Row[] | undefined
  /** The number of rows with and without the filters. For a list with server-side pages, both are the former. */
  total: number
  whole: number
  deferred: Pick<DeferredRows<unknown>, 'fresh' | 'showUpTo'>
  isFiltered: boolean
  clearFilters: () => void
  pager?: PagerProps
}

type TableProps<Row> = Pick<
  DataTableProps<Row>,
  'columns' | 'rowKey' | 'actions' | 'actionCount' | 'details' | 'toGroup' | 'sort' | 'onSort'
>

export interface ListProps<Row> extends TableProps<Row> {
  screen: Screen
  description: ReactNode
  /** The nouns for the rows. */
  nouns: Nouns
  /** The primary action of the list. */
  action?: ReactNode
  /** The text filter. */
  search?: SearchFieldProps
  /** The other filters. */
  filters?: ReactNode
  view: ListView<Row>
  empty: EmptyStateProps
  /** The message if no row matches the filters. Defaults to a general one. */
  filteredTitle?: string
  /** Further actions on the whole list. */
  more?: ReactNode
  /** The bar of the selected rows. It takes the place of the filters, so that the rows stay where they are. */
  selection?: ReactNode
  /** Content directly above the rows. */
  above?: ReactNode
  /** A note below the rows, where it moves nothing when it arrives later. */
  below?: ReactNode
}

/** Moves the focus to the table after the user has changed the page and it has loaded. */
const useFocusAfterPaging = (table: RefObject<HTMLElement | null>, pager: PagerProps | undefined, isReady: boolean) => {
  const turned = useRef(false)
  useEffect(() => {
    if (!turned.current || !isReady) return
    turned.current = false
    table.current?.focus({ preventScroll: true })
  }, [isReady, table])
  return (
    pager && {
      ...pager,
      onPage: (page: number) => {
        turned.current = true
        pager.onPage(page)
      },
    }
  )
}

type NoMatchesProps = Omit<FilteredEmptyStateProps, 'account'>

const NoMatchesOfAccount = ({ filter, ...rest }: NoMatchesProps & { filter: OpenFilter }) => {
  const { name } = useAccountName(filter.value)
  const account = filter.all && name !== undefined ? { name, onShowAll: () => filter.choose('') } : undefined
  return <FilteredEmptyState {...rest} account={account} />
}

/** No row matches the filters, one of which can be the account. */
const NoMatches = (props: NoMatchesProps) => {
  const filter = useOpenFilter()
  return filter ? <NoMatchesOfAccount {...props} filter={filter} /> : <FilteredEmptyState {...props} />
}

/** Returns "Show 3 new calls". */
const formatNews = (count: number, nouns: Nouns): string =>
  `Show ${countText(count, count, nouns).replace(' ', ' new ')}`

const isForbidden = (error: unknown): boolean => error instanceof ApiError && error.status === 403

/**
 * A list of a resource: header, filters, count, refresh button, and a table with its loading, error, and empty states.
 */
export const List = <Row,>(props: ListProps<Row>) => {
  const {
    screen,
    description,
    nouns,
    action,
    search,
    filters,
    view,
    empty,
    filteredTitle,
    more,
    selection,
    above,
    below,
    ...table
  } = props
  const { query, rows, total, whole, deferred } = view
  const tableRef = useRef<HTMLTableElement>(null)
  const [marked] = useState(() => consumeHighlight(screen))
  const isReady = Boolean(rows) && !query.isPlaceholderData
  const pager = useFocusAfterPaging(tableRef, view.pager, isReady)
  const refresh = async () => {
    deferred.showUpTo(Number.POSITIVE_INFINITY)
    const { dataUpdatedAt } = await query.refetch()
    deferred.showUpTo(dataUpdatedAt)
  }

  const body = () => {
    if (!rows && query.error)
      return isForbidden(query.error) ? (
        <Forbidden hint={errorMessage(query.error)} />
      ) : (
        <QueryFailed error={query.error} onRetry={() => void refresh()} />
      )
    if (rows?.length === 0)
      return view.isFiltered ? (
        <NoMatches title={filteredTitle} onClear={view.clearFilters} />
      ) : (
        <EmptyState {...empty} />
      )
    const state = rows ? (query.isPlaceholderData ? 'refreshing' : 'ready') : 'loading'
    return (
      <DataTable
        {...table}
        ref={tableRef}
        caption={screen.title}
        rows={rows ?? []}
        state={state}
        marked={marked}
        onRetry={() => void retryPendingReads()}
      />
    )
  }

  return (
    <>
      <ScreenHeader screen={screen} description={description} actions={action} />
      {selection || (
        <FilterBar
          search={search && <SearchField {...search} />}
          actions={
            <ListBar
              count={rows && countText(total, whole, nouns)}
              updatedAt={query.dataUpdatedAt}
              isRefreshing={query.isFetching}
              onRefresh={() => void refresh()}
              news={
                deferred.fresh > 0 && (
                  <Button size="small" onClick={() => deferred.showUpTo()}>
                    {formatNews(deferred.fresh, nouns)}
                  </Button>
                )
              }
            >
              {more}
            </ListBar>
          }
        >
          {filters}
        </FilterBar>
      )}
      {rows && <RefetchErrorBanner query={query} onRetry={() => void refresh()} />}
      {above}
      {body()}
      {rows && pager && pager.total > 0 && <Pager {...pager} />}
      {below && <p className={classes('note', states['below'])}>{below}</p>}
    </>
  )
}
