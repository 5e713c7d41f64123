// Safari drops the roles of table elements that are displayed as cards, so every role is set explicitly.
/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role */
import { ArrowDown, ArrowUp } from 'lucide-react'
import { Fragment, useCallback, useEffect, useId, useRef, useState } from 'react'
import { LoadingNote } from '../loading-note.tsx'
import styles from './data-table.module.css'
import type { DataTableProps, TableColumn, TableSort } from './table-props.ts'
import { cellClass, GroupRow, MemoizedRow, SkeletonRows } from './table-rows.tsx'
import { useCutTitles } from './use-cut-titles.ts'
import { useGrowingWindow } from './use-incremental-rows.ts'
import { useRowFocus } from './use-row-focus.ts'

const SortHeader = <Row,>({
  column,
  sort,
  onSort,
}: { column: TableColumn<Row> } & Pick<DataTableProps<Row>, 'sort' | 'onSort'>) => {
  const active = sort?.column === column.id
  const Icon = active && sort.descending ? ArrowDown : ArrowUp
  return (
    <button
      type="button"
      className={styles.sort}
      onClick={() => onSort?.({ column: column.id, descending: active && !sort.descending })}
    >
      {column.header}
      <Icon size={13} aria-hidden="true" className={active ? undefined : styles.unsorted} />
    </button>
  )
}

const ariaSort = <Row,>({ id }: TableColumn<Row>, sort: TableSort | undefined) =>
  sort?.column !== id ? undefined : sort.descending ? 'descending' : 'ascending'

/** A column header whose text is only for assistive technology, which ignores headers without text. */
const HiddenHeader = ({ minWidth, children }: { minWidth: string; children: string }) => (
  <th scope="col" role="columnheader" className={styles.narrow} style={{ minWidth }}>
    <span className="visually-hidden">{children}</span>
  </th>
)

const Head = <Row,>(props: DataTableProps<Row>) => (
  <thead role="rowgroup">
    <tr role="row">
      {props.details ? <HiddenHeader minWidth="1.5rem">Details</HiddenHeader> : null}
      {props.columns.map((column) => (
        <th
          key={column.id}
          scope="col"
          role="columnheader"
          className={cellClass(column)}
          aria-sort={ariaSort(column, props.sort)}
        >
          {column.sortable ? (
            <SortHeader column={column} sort={props.sort} onSort={props.onSort} />
          ) : (
            (column.headerCell ?? column.header)
          )}
        </th>
      ))}
      {props.actions ? (
        <HiddenHeader minWidth={`calc(${props.actionCount ?? 1} * (var(--control) + 0.125rem) + 0.5rem)`}>
          Actions
        </HiddenHeader>
      ) : null}
    </tr>
  </thead>
)

const useOpenRows = <Row,>({ details, rowKey }: DataTableProps<Row>) => {
  const [own, setOwn] = useState<ReadonlySet<string>>(new Set())
  return {
    isOpen: (row: Row) => details?.isOpen?.(row) ?? own.has(rowKey(row)),
    toggle: (row: Row) => {
      if (details?.onToggle) return details.onToggle(row)
      const next = new Set(own)
      if (!next.delete(rowKey(row))) next.add(rowKey(row))
      setOwn(next)
    },
  }
}

/**
 * A table with a sticky header. Clicking a row activates its main control. The loading state shows skeleton rows, and
 * the refreshing state keeps the previous rows. On narrow screens, the style sheet displays each row as a card.
 */
export const DataTable = <Row,>({ ref, ...props }: DataTableProps<Row>) => {
  const { caption, columns, rows, rowKey, state, empty, details, toGroup, actions, marked, onRetry } = props
  const shares = columns.reduce((sum, { share = 10 }) => sum + share, 0)
  const id = useId()
  const markedAt = marked === undefined ? -1 : rows.findIndex((row) => rowKey(row) === marked)
  const { limit, end, more } = useGrowingWindow(rows.length, markedAt)
  const { isOpen, toggle } = useOpenRows(props)
  const latestToggle = useRef(toggle)
  useEffect(() => {
    latestToggle.current = toggle
  })
  const onToggle = useCallback((row: Row) => latestToggle.current(row), [])
  const { body, ...focus } = useRowFocus()
  useCutTitles(body, [columns, rows, limit])
  const isEmpty = state !== 'loading' && rows.length === 0 && empty !== undefined
  const visibleRows = state === 'loading' ? [] : rows.slice(0, limit)
  const groups = toGroup && visibleRows.map(toGroup)
  return (
    <div className={styles.container} aria-busy={state !== 'ready'}>
      {state === 'refreshing' ? <div className={styles.progress} /> : null}
      <LoadingNote isLoading={state === 'loading'} onRetry={onRetry} />
      {isEmpty ? (
        empty
      ) : (
        <table ref={ref} role="table" tabIndex={-1} className={styles.table}>
          <caption className="visually-hidden">{caption}</caption>
          {/* Only shares: a column with a fixed width would take the width of those that leave. */}
          <colgroup>
            {details ? <col style={{ width: '1%' }} /> : null}
            {columns.map((column) => (
              <col
                key={column.id}
                className={cellClass(column)}
                style={{ width: `${(98 * (column.share ?? 10)) / shares}%` }}
              />
            ))}
            {actions ? <col style={{ width: '1%' }} /> : null}
          </colgroup>
          <Head {...props} />
          <tbody role="rowgroup" ref={body} {...focus}>
            {state === 'loading' ? <SkeletonRows {...props} /> : null}
            {visibleRows.map((row, at) => {
              const group = groups?.[at]
              return (
                <Fragment key={rowKey(row)}>
                  {group && group.name !== groups?.[at - 1]?.name ? (
                    <GroupRow {...group} span={columns.length + 1 + (actions ? 1 : 0)} />
                  ) : null}
                  <MemoizedRow
                    {...{ columns, details, actions, row }}
                    open={isOpen(row)}
                    marked={rowKey(row) === marked}
                    onToggle={onToggle}
                    detailsId={`${id}-${rowKey(row).replace(/\s+/g, '-')}`}
                  />
                </Fragment>
              )
            })}
            {more ? <tr key={limit} ref={end} aria-hidden="true" /> : null}
          </tbody>
        </table>
      )}
    </div>
  )
}
