import type { TableColumn } from '../../ui/table/table-props.ts'
import { SelectBox } from './select-box.tsx'

interface SelectColumnOptions<Row> {
  /** Label of the box that selects all rows. */
  allLabel: string
  rows: readonly Row[]
  /** The rows are those of other filters or of another page, until the requested ones arrive. */
  isOutdated: boolean
  /** States how many of the rows are selected. */
  selected: 'none' | 'some' | 'all'
  /** Returns the name of a row, for the label of its box. */
  toName: (row: Row) => string | null
  isSelected: (row: Row) => boolean
  onSelect: (rows: readonly Row[], on: boolean) => void
}

/**
 * A column with a box for each row, and one for all rows. Outdated rows cannot be selected: a change would include
 * rows that the user does not see anymore, or leave out those that arrive.
 */
export const selectColumn = <Row,>({
  allLabel,
  rows,
  isOutdated,
  selected,
  toName,
  isSelected,
  onSelect,
}: SelectColumnOptions<Row>): TableColumn<Row> => ({
  id: 'select',
  header: 'Select',
  share: 2,
  nowrap: true,
  card: 'pick',
  headerCell: (
    <SelectBox
      label={allLabel}
      checked={selected === 'all'}
      partly={selected === 'some'}
      disabled={isOutdated}
      onChange={(on) => onSelect(rows, on)}
    />
  ),
  cell: (row) => (
    <SelectBox
      label={`Select ${toName(row) ?? ''}`}
      checked={isSelected(row)}
      disabled={isOutdated}
      onChange={(on) => onSelect([row], on)}
    />
  ),
})
