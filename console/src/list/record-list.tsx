import { Pencil, Plus, Trash2 } from 'lucide-react'
import { type ComponentProps, type ComponentType, type ReactNode, useCallback, useState } from 'react'
import type { Screen, ScreenParams } from '../routes/define-screen.ts'
import { ScreenLink } from '../screen/links.tsx'
import { Button, buttonClass, IconButton, iconButtonClass } from '../ui/button.tsx'
import type { EmptyStateProps } from '../ui/list-state.tsx'
import { List, type ListProps } from './list.tsx'

/** The link to the form for a new record. */
interface AddTarget {
  to: Screen
  label: string
  /** The reason why the user cannot add a record. */
  denied?: string | undefined
}

/** The link from a row to the form of its record. Declare it outside of components: a new object re-renders all rows. */
export interface RowTarget<Row, Path extends string> {
  to: Screen<Path>
  toParams: (row: Row) => ScreenParams<Path>
  /** Returns the name of the record for the labels of the buttons. */
  toName: (row: Row) => string | null
  /** Returns false for a record that the user can see but not open. */
  canOpen?: (row: Row) => boolean
}

interface RecordListProps<Row, Path extends string>
  extends Omit<ListProps<Row>, 'action' | 'actions' | 'actionCount' | 'empty'> {
  /** Absent if a record cannot be added at present. */
  add?: AddTarget | undefined
  row: RowTarget<Row, Path>
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

/** `RowTarget` verifies that the link has all path parameters, so the type of the link can be looser. */
const EditLink = ScreenLink as ComponentType<Omit<ComponentProps<'a'>, 'href'>>

/** A list of records that can be added, edited, and deleted. */
export const RecordList = <Row, Path extends string>({
  add,
  row: { to, toParams, toName, canOpen },
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
        {(canOpen?.(row) ?? true) && (
          <>
            <EditLink
              {...{ to, params: toParams(row) }}
              className={iconButtonClass()}
              aria-label={`Edit ${toName(row) ?? ''}`}
            >
              <Pencil size={15} aria-hidden="true" />
            </EditLink>
            <IconButton
              label={`Delete ${toName(row) ?? ''}`}
              disabledReason={deletionDenied}
              onClick={() => setDeleting(row)}
            >
              <Trash2 size={15} aria-hidden="true" />
            </IconButton>
          </>
        )}
      </>
    ),
    [rowAction, canOpen, to, toParams, toName, deletionDenied],
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
        actionCount={rowAction === undefined ? 2 : 3}
        empty={{ ...empty, action: add && !add.denied && <AddLink {...add} /> }}
      />
      {deleting !== undefined && renderDeletion(deleting, () => setDeleting(undefined))}
    </>
  )
}
