import { Pencil, Plus, Trash2 } from 'lucide-react'
import { type ReactNode, useCallback, useState } from 'react'
import type { Screen } from '../routes/define-screen.ts'
import type { RecordLink } from '../routes/record-link.ts'
import { ScreenLink } from '../screen/links.tsx'
import { Button, buttonClass, IconButton, iconButtonClass } from '../ui/button.tsx'
import { Name } from '../ui/format/reference.tsx'
import type { EmptyStateProps } from '../ui/table/list-state.tsx'
import { LinkToRecord } from './link-to-record.tsx'
import { List, type ListProps } from './list-frame.tsx'
import type { SortableColumn } from './sort-rows.ts'

/** The link to the form for a new record. */
interface AddTarget {
  to: Screen
  label: string
  /** The reason why the user cannot add a record. */
  denied?: string | undefined
}

interface RecordListProps<Row, Path extends string>
  extends Omit<ListProps<Row>, 'action' | 'actions' | 'actionCount' | 'empty'> {
  /** Absent if a record cannot be added at present. */
  add?: AddTarget | undefined
  /** Create it outside of components, because new functions render all rows again. */
  row: RecordLink<Row, Path>
  /** Buttons besides the one that adds a record. */
  action?: ReactNode
  /** A button at the end of each row, before those to edit and delete it. A stable function. */
  rowAction?: (row: Row) => ReactNode
  /** The reason why the user cannot delete records. */
  deletionDenied: string | undefined
  /** Renders the dialog that deletes a record. */
  renderDeletion: (row: Row, onClose: () => void) => ReactNode
  empty: Omit<EmptyStateProps, 'action'>
}

const AddLink = ({ to, label, denied }: AddTarget) =>
  denied ? (
    <Button variant="primary" disabledReason={denied}>
      {label}
    </Button>
  ) : (
    <ScreenLink to={to} className={buttonClass('primary')}>
      <Plus size={16} aria-hidden="true" />
      {label}
    </ScreenLink>
  )

/** The name of a record, as a link to it if the user can open it. */
export const nameColumn = <Row, Path extends string, ListedRow extends Row>(
  link: RecordLink<Row, Path>,
  changes: Partial<SortableColumn<ListedRow>>,
): SortableColumn<ListedRow> => ({
  id: 'name',
  header: 'Name',
  cell: (row) => {
    const name = <Name>{link.toName(row)}</Name>
    return link.canOpen(row) ? (
      <LinkToRecord link={link} row={row}>
        {name}
      </LinkToRecord>
    ) : (
      name
    )
  },
  sortBy: link.toName,
  ...changes,
})

/** A list of records that can be added, edited, and deleted. */
export const RecordList = <Row, Path extends string>({
  add,
  row: link,
  action,
  rowAction,
  deletionDenied,
  renderDeletion,
  empty,
  ...list
}: RecordListProps<Row, Path>) => {
  const [deleting, setDeleting] = useState<Row>()
  const actions = useCallback(
    (row: Row) => (
      <>
        {rowAction?.(row)}
        {link.canOpen(row) && (
          <>
            <LinkToRecord
              link={link}
              row={row}
              className={iconButtonClass()}
              aria-label={`Edit ${link.toName(row) ?? ''}`}
              data-opens-record=""
            >
              <Pencil size={15} aria-hidden="true" />
            </LinkToRecord>
            <IconButton
              label={`Delete ${link.toName(row) ?? ''}`}
              disabledReason={deletionDenied}
              onClick={() => setDeleting(row)}
            >
              <Trash2 size={15} aria-hidden="true" />
            </IconButton>
          </>
        )}
      </>
    ),
    [rowAction, link, deletionDenied],
  )
  return (
    <>
      <List
        {...list}
        action={
          <>
            {action}
            {add && <AddLink {...add} />}
          </>
        }
        actions={actions}
        actionCount={rowAction ? 3 : 2}
        empty={{ ...empty, action: add && !add.denied && <AddLink {...add} /> }}
      />
      {deleting !== undefined && renderDeletion(deleting, () => setDeleting(undefined))}
    </>
  )
}
