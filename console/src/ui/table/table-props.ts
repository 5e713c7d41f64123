import type { ReactNode, Ref } from 'react'

/** A heading above the rows of one group, such as those of a day. */
export interface RowGroup {
  name: string
  note?: string
}

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
   * The relative width, 10 by default. Column widths do not depend on names in them, because those change while the user
   * types.
   */
  share?: number
  /** The content is never cut, for example a time, a number, or a state. Other columns end with an ellipsis. */
  nowrap?: boolean
  /** The content is a sentence, which continues on further lines. */
  wraps?: boolean
  /** The columns with the highest number leave first when the table becomes narrower. Columns without one stay. */
  priority?: 2 | 3 | 4 | 5 | 6
  /**
   * The place on a card, which has two lines: `icon`, `name`, and `state`, and below them `time`, `detail`, and `end`.
   * The first column is the name. Columns without a place are not on the card.
   */
  card?: 'pick' | 'icon' | 'name' | 'state' | 'time' | 'detail' | 'end'
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
  /** Sends the request of a slow response again. */
  onRetry?: () => void
  /** Replaces the table if there are no rows. */
  empty?: ReactNode
  /** Buttons or a menu at the end of a row. */
  actions?: (row: Row) => ReactNode
  /** The number of buttons per row, which sets the width of the column. */
  actionCount?: number
  /** The key of a row that was just changed. The table scrolls to it, focuses it, and highlights it for a moment. */
  marked?: string | undefined
  details?: TableDetails<Row>
  /** Returns the group of a row. The rows of a group follow each other below its name. */
  toGroup?: (row: Row) => RowGroup
  sort?: TableSort
  onSort?: (sort: TableSort) => void
  skeletonRows?: number
  ref?: Ref<HTMLTableElement>
}
