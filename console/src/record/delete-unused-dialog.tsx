import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ConfirmAction } from '../feedback/confirm-action.tsx'
import type { DeleteDialogHandlers } from './delete-dialog.tsx'
import { type DependentKind, InUseDialog, isUsed, UseLookUpFailed, unknownUse } from './dependents-dialog.tsx'

interface DeleteUnusedDialogProps extends Pick<DeleteDialogHandlers, 'onClose'> {
  /** The kind of record, for titles and the button: "carrier". */
  noun: string
  name: string
  /** The lookup of the records that refer to this one. */
  lookUp: Pick<UseQueryResult, 'isPending' | 'isLoadingError' | 'isFetching' | 'error' | 'refetch'>
  /** The records that the lookup found. Undefined until it has succeeded. */
  kinds: readonly DependentKind[] | undefined
  /** The deletion, made with `useAction`. */
  action: Parameters<typeof ConfirmAction>[0]['action']
  /** Sentences after the name if the record is in use: "cannot be deleted …". */
  inUseText: ReactNode
  /** Sentence after the name if the record can be deleted: "will be deleted …". */
  deletedText: ReactNode
  /** A further reason why the deletion cannot be confirmed. */
  disabledReason?: string | undefined
  /** A button in the dialog about a record that is in use. */
  inUseAction?: ReactNode
  /** A field to confirm the deletion with. */
  children?: ReactNode
}

/** Dialog that lists what still refers to a record, or, if nothing does, deletes the record after a confirmation. */
export const DeleteUnusedDialog = ({
  noun,
  name,
  lookUp,
  kinds,
  action,
  inUseText,
  deletedText,
  disabledReason,
  onClose,
  inUseAction,
  children,
}: DeleteUnusedDialogProps) => {
  const boldName = (
    <strong>
      <bdi>{name}</bdi>
    </strong>
  )
  // During the deletion the dependents disappear one by one, so the confirmation stays open.
  if (kinds !== undefined && isUsed(kinds) && !action.isPending)
    return (
      <InUseDialog what={noun} kinds={kinds} onClose={onClose} action={inUseAction}>
        <p>
          {boldName} {inUseText}
        </p>
      </InUseDialog>
    )
  return (
    <ConfirmAction
      action={action}
      title={`Delete ${noun}?`}
      confirmLabel={`Delete ${noun}`}
      danger
      confirmDisabledReason={kinds === undefined ? unknownUse(noun) : disabledReason}
      onCancel={onClose}
    >
      <p aria-live="polite">
        {boldName} {deletedText} {lookUp.isPending ? 'Checking where it is used…' : 'This cannot be undone.'}
      </p>
      <UseLookUpFailed what={noun} lookUp={lookUp} />
      {children}
    </ConfirmAction>
  )
}
