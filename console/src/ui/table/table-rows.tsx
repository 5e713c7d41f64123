// Safari drops the roles of table elements that are displayed as cards, so every role is set explicitly.
/* oxlint-disable jsx-a11y/no-redundant-roles, jsx-a11y/no-interactive-element-to-noninteractive-role */
// Cells without a label are those of skeleton rows, which are hidden from assistive technology.
/* oxlint-disable jsx-a11y/control-has-associated-label */
import { ChevronRight } from 'lucide-react'
import { memo } from 'react'
import { classes } from '../classes.ts'
import styles from './data-table.module.css'
import type { DataTableProps, RowGroup, TableColumn } from './table-props.ts'
import { setTabStop } from './use-row-focus.ts'

/** Returns the class of all cells of a column: how they are aligned and cut, and when they leave. */
export const cellClass = <Row,>({ align, nowrap, wraps, priority }: TableColumn<Row>): string =>
  classes(
    align === 'end' && styles.end,
    wraps ? styles.wraps : !nowrap && styles.cut,
    priority && styles[`c${priority}`],
  )

/** Returns the place of a column on a card. The first column is the name of the record. */
const cardPlace = <Row,>(column: TableColumn<Row>, columns: readonly TableColumn<Row>[]): string | undefined =>
  column.card ?? (column === columns[0] ? 'name' : column.wraps ? 'below' : undefined)

export const SkeletonRows = <Row,>({ columns, details, actions, toGroup, skeletonRows = 8 }: DataTableProps<Row>) => (
  <>
    {toGroup ? (
      <tr className={classes(styles.skeleton, styles.group)} aria-hidden="true">
        <td colSpan={columns.length}>
          <span />
        </td>
      </tr>
    ) : null}
    {Array.from({ length: skeletonRows }, (_, row) => (
      // oxlint-disable-next-line react/no-array-index-key -- skeleton rows have no identity
      <tr key={row} className={styles.skeleton} aria-hidden="true">
        {details ? <td className={styles.narrow} /> : null}
        {columns.map((column) => (
          <td key={column.id} className={cellClass(column)} data-card={cardPlace(column, columns)}>
            <span />
          </td>
        ))}
        {actions ? <td className={styles.narrow} /> : null}
      </tr>
    ))}
  </>
)

/** The row above the first row of a group. */
export const GroupRow = ({ name, note, span }: RowGroup & { span: number }) => (
  <tr role="row" className={styles.group}>
    <th role="rowheader" scope="rowgroup" colSpan={span}>
      {name}
      {note ? (
        <>
          {' '}
          <span>{note}</span>
        </>
      ) : null}
    </th>
  </tr>
)

interface BodyRowProps<Row> extends Pick<DataTableProps<Row>, 'columns' | 'details' | 'actions'> {
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
        <td role="cell" className={styles.narrow} data-card="opener">
          <button
            type="button"
            className={styles.opener}
            aria-expanded={open}
            aria-controls={open ? detailsId : undefined}
            onClick={() => onToggle(row)}
          >
            <ChevronRight size={14} aria-hidden="true" />
            <span className="visually-hidden">{details.renderLabel?.(row) ?? 'Details'}</span>
          </button>
        </td>
      ) : null}
      {columns.map((column) => (
        <td key={column.id} role="cell" className={cellClass(column)} data-card={cardPlace(column, columns)}>
          {column.cell(row) ?? <span className={styles.none}>–</span>}
        </td>
      ))}
      {actions ? (
        <td role="cell" className={classes(styles.narrow, styles.actions)} data-card="actions">
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

export const MemoizedRow = memo(BodyRow, canSkipRender) as typeof BodyRow
