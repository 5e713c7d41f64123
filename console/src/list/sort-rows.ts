import type { TableColumn, TableSort } from '../ui/table/table-props.ts'

/** A column of a list that is sorted in the browser. `sortBy` returns the value to sort by. */
export interface SortableColumn<Row> extends TableColumn<Row> {
  sortBy?: (row: Row) => string | number | null
}

/** Parses the URL parameter for the order: the id of a column, with a minus for descending order. */
export const parseSort = (param: string | undefined): TableSort | undefined => {
  if (param === undefined) return undefined
  return param.startsWith('-') ? { column: param.slice(1), descending: true } : { column: param, descending: false }
}

/** Returns the URL parameter for an order. */
export const formatSort = ({ column, descending }: TableSort): string => `${descending ? '-' : ''}${column}`

const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })

const compare = (one: string | number, other: string | number): number =>
  typeof one === 'number' && typeof other === 'number' ? one - other : collator.compare(String(one), String(other))

/** Returns the rows sorted by a column. Rows without a value come last in both directions. */
export const sorted = <Row>(
  rows: readonly Row[],
  columns: readonly SortableColumn<Row>[],
  sort: TableSort | undefined,
): readonly Row[] => {
  const by = columns.find(({ id }) => id === sort?.column)?.sortBy
  if (sort === undefined || by === undefined) return rows
  const way = sort.descending ? -1 : 1
  return rows.toSorted((one, other) => {
    const [a, b] = [by(one), by(other)]
    if (a === null || b === null) return Number(a === null) - Number(b === null)
    return way * compare(a, b)
  })
}
