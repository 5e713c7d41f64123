import type { QueryKey } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ConfirmAction } from '../feedback/confirm-action.tsx'
import { useAction } from '../feedback/use-action.ts'

/** Callbacks of the list or the page that opens a deletion dialog. */
export interface DeleteDialogHandlers {
  onClose: () => void
  /** Called instead of `onClose` after the record has been deleted. */
  onDeleted?: () => Promise<void>
}

interface DeleteDialogProps extends DeleteDialogHandlers {
  /** The kind of record, for the title and the button: "SIP client". */
  noun: string
  title?: string
  confirmLabel?: string
  /** The name of the record. The text below starts with it. */
  name: string
  remove: () => Promise<unknown>
  /** The success message. */
  done: string
  /** The queries to read again afterwards. */
  changes: readonly QueryKey[]
  /** Runs after the deletion. Defaults to `onDeleted` or `onClose`. */
  after?: () => void | Promise<void>
  /** The rest of the sentence that starts with the name: what is deleted, and what follows from it. */
  children: ReactNode
}

/** Confirmation dialog that deletes a record to which no other record refers. */
export const DeleteDialog = ({
  noun,
  title = `Delete ${noun}?`,
  confirmLabel = `Delete ${noun}`,
  name,
  remove,
  done,
  changes,
  onClose,
  onDeleted,
  after = onDeleted ?? onClose,
  children,
}: DeleteDialogProps) => {
  const action = useAction({ run: remove, done: () => done, changes, after })
  return (
    <ConfirmAction action={action} title={title} confirmLabel={confirmLabel} danger onCancel={onClose}>
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        {children}
      </p>
    </ConfirmAction>
  )
}
