// Safari drops the roles of table elements that are displayed as cards, so every role is set explicitly.
/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role */
// Cells without a label are those of skeleton rows, which are hidden from assistive technology.
/* oxlint-disable jsx-a11y/control-has-associated-label */
import { ArrowDown, ArrowUp, ChevronRight, ChevronsUpDown } from 'lucide-react'
import { memo, type ReactNode, type Ref, useCallback, useEffect, useId, useMemo, useRef, useState } from 'react'
import { classes } from '../classes.ts'
import styles from './data-table.module.css'
import { useGrowingWindow } from './use-incremental-rows.ts'
import { setTabStop, useRowFocus } from './use-row-focus.ts'
import { useWidthClass, type WidthClass } from './use-width-class.ts'

export interface TableColumn<Row> {
  id: string
  header: string
  /** Replaces the text of the header, for example with a checkbox. Cards still show the text as their label. */
  headerCell?: ReactNode
  /** Returns the content of the cell. Null and undefined are shown as a dash, and omitted on cards. */
  cell: (row: Row) => ReactNode
  /** Use `end` for numbers. */
  align?: 'start' | 'end'
  /**
   * The relative width, 10 by default. Column widths do not depend on their content, because it changes while the user
   * types.
   */
  share?: number
  /** The content stays on one line, for example times and numbers. */
  nowrap?: boolean
  /** The narrowest table in which the column is shown. Cards show all columns. */
  minWidth?: WidthClass
  sortable?: boolean
}

export interface TableSort {
  column: string
  descending: boolean
}

export interface TableDetails<Row> {
  render: (row: Row) => ReactNode
  /** Returns the label of the button that opens the row. The default is "Details". */
  renderLabel?: (row: Row) => ReactNode
  /** Set together with `onToggle` by callers that store which rows are open. Otherwise, the table stores it. */
  isOpen?: (row: Row) => boolean
  onToggle?: (row: Row) => void
}

export interface DataTableProps<Row> {
  /** The name of the table for assistive technology. */
  caption: string
  columns: readonly TableColumn<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  /** While `refreshing`, the table shows the previous rows and a progress bar. */
  state: 'loading' | 'refreshing' | 'ready'
  /** Replaces the table if there are no rows. */
  empty?: ReactNode
  /** Buttons or a menu at the end of a row. */
  actions?: (row: Row) => ReactNode
  /** The number of buttons per row, which sets the width of the column. */
  actionCount?: number
  /** The key of a row that was just changed. The table scrolls to it, focuses it, and highlights it for a moment. */
  marked?: string | undefined
  details?: TableDetails<Row>
  sort?: TableSort
  onSort?: (sort: TableSort) => void
  skeletonRows?: number
  ref?: Ref<HTMLTableElement>
}

const cellClass = <Row,>({ align, nowrap }: TableColumn<Row>) =>
  classes(align === 'end' && styles.end, nowrap && styles.nowrap)

const SortHeader = <Row,>({
  column,
  sort,
  onSort,
}: { column: TableColumn<Row> } & Pick<DataTableProps<Row>, 'sort' | 'onSort'>) => {
  const active = sort?.column === column.id
  const Icon = !active ? ChevronsUpDown : sort.descending ? ArrowDown : ArrowUp
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
const HiddenHeader = ({ children }: { children: string }) => (
  <th scope="col" role="columnheader" className={styles.narrow}>
    <span className="visually-hidden">{children}</span>
  </th>
)

const Head = <Row,>(props: DataTableProps<Row>) => (
  <thead role="rowgroup">
    <tr role="row">
      {props.details ? <HiddenHeader>Details</HiddenHeader> : null}
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
      {props.actions ? <HiddenHeader>Actions</HiddenHeader> : null}
    </tr>
  </thead>
)

const SkeletonRows = <Row,>({ columns, details, actions, skeletonRows = 8 }: DataTableProps<Row>) =>
  Array.from({ length: skeletonRows }, (_, row) => (
    // oxlint-disable-next-line react/no-array-index-key -- skeleton rows have no identity
    <tr key={row} className={styles.skeleton} aria-hidden="true">
      {details ? <td className={styles.narrow} /> : null}
      {columns.map((column) => (
        <td key={column.id} className={cellClass(column)}>
          <span />
        </td>
      ))}
      {actions ? <td className={styles.narrow} /> : null}
    </tr>
  ))

type RowParts<Row> = Pick<DataTableProps<Row>, 'columns' | 'details' | 'actions'>

interface BodyRowProps<Row> extends RowParts<Row> {
  row: Row
  open: boolean
  marked: boolean
  onToggle: (row: Row) => void
  detailsId: string
}

const BodyRow = <Row,>({ columns, details, actions, row, open, marked, onToggle, detailsId }: BodyRowProps<Row>) => (
  <>
    <tr
      // A new function, so that it is called whenever the row is rendered.
      ref={(element) => setTabStop(element)}
      role="row"
      data-row
      data-marked={marked || undefined}
      className={classes(open && styles.open, marked && styles.marked)}
    >
      {details ? (
        <td role="cell" className={classes(styles.narrow, styles.openerCell)}>
          <button
            type="button"
            className={styles.opener}
            aria-expanded={open}
            aria-controls={open ? detailsId : undefined}
            onClick={() => onToggle(row)}
          >
            <ChevronRight size={16} aria-hidden="true" />
            <span className="visually-hidden">{details.renderLabel?.(row) ?? 'Details'}</span>
          </button>
        </td>
      ) : null}
      {columns.map((column) => (
        <td key={column.id} role="cell" className={cellClass(column)} data-label={column.header}>
          {column.cell(row) ?? <span className={styles.none}>–</span>}
        </td>
      ))}
      {actions ? (
        <td role="cell" className={classes(styles.narrow, styles.actions)}>
          <div>{actions(row)}</div>
        </td>
      ) : null}
    </tr>
    {details && open ? (
      <tr role="row" data-details className={styles.details}>
        <td role="cell" id={detailsId} colSpan={columns.length + 1 + (actions ? 1 : 0)}>
          {details.render(row)}
        </td>
      </tr>
    ) : null}
  </>
)

/** Returns whether a row can skip rendering. Open rows always render, because their details depend on other data. */
const canSkipRender = <Row,>(before: BodyRowProps<Row>, now: BodyRowProps<Row>): boolean =>
  !now.open &&
  !before.open &&
  before.row === now.row &&
  before.marked === now.marked &&
  before.columns === now.columns &&
  before.actions === now.actions

const MemoizedRow = memo(BodyRow, canSkipRender) as typeof BodyRow

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

const widthClasses: readonly WidthClass[] = ['tight', 'medium', 'wide']

/**
 * A table with a sticky header. Clicking a row activates its main control. The loading state shows skeleton rows, and
 * the refreshing state keeps the previous rows. On narrow screens, the style sheet displays each row as a card.
 */
export const DataTable = <Row,>({ ref, ...rest }: DataTableProps<Row>) => {
  const frame = useRef<HTMLDivElement>(null)
  const widthClass = useWidthClass(frame)
  const columns = useMemo(
    () =>
      rest.columns.filter(
        ({ minWidth = 'tight' }) => widthClasses.indexOf(minWidth) <= widthClasses.indexOf(widthClass),
      ),
    [rest.columns, widthClass],
  )
  const shares = columns.reduce((sum, { share = 10 }) => sum + share, 0)
  const props = { ...rest, columns }
  const { caption, rows, rowKey, state, empty, details, actions, actionCount = 1, marked } = props
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
  const isEmpty = state !== 'loading' && rows.length === 0 && empty !== undefined
  return (
    <div className={styles.container}>
      <div ref={frame} className={styles.frame} aria-busy={state !== 'ready'}>
        {state === 'refreshing' ? <div className={styles.progress} /> : null}
        <output className="visually-hidden">{state === 'loading' ? 'Loading…' : ''}</output>
        {isEmpty ? (
          empty
        ) : (
          <table ref={ref} role="table" tabIndex={-1} className={styles.table}>
            <caption className="visually-hidden">{caption}</caption>
            <colgroup>
              {details ? <col style={{ width: '2.25rem' }} /> : null}
              {columns.map(({ id: column, share = 10 }) => (
                <col key={column} style={{ width: `${(100 * share) / shares}%` }} />
              ))}
              {actions ? <col style={{ width: `${actionCount * 1.875 + 1.125}rem` }} /> : null}
            </colgroup>
            <Head {...props} />
            <tbody role="rowgroup" ref={body} {...focus}>
              {state === 'loading' ? <SkeletonRows {...props} /> : null}
              {(state === 'loading' ? [] : rows.slice(0, limit)).map((row) => (
                <MemoizedRow
                  key={rowKey(row)}
                  {...{ columns, details, actions, row }}
                  open={isOpen(row)}
                  marked={marked !== undefined && rowKey(row) === marked}
                  onToggle={onToggle}
                  detailsId={`${id}-${rowKey(row).replace(/\s+/g, '-')}`}
                />
              ))}
              {more ? <tr key={limit} ref={end} aria-hidden="true" /> : null}
            </tbody>
          </table>
        )}
      </div>
    </div>
  )
}
