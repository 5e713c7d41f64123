import { errorMessage, getRequestId } from '../api/api-error.ts'
import { ConfirmDialog, type ConfirmDialogProps } from '../ui/overlay/dialog.tsx'

interface ConfirmActionProps extends Omit<ConfirmDialogProps, 'busy' | 'error' | 'requestId' | 'onConfirm'> {
  /** Created by `useAction`, without input. */
  action: { isPending: boolean; error: Error | null; mutate: (input: undefined) => void }
}

/** A dialog that asks for confirmation before an action. It stays open while the action runs, and if it fails. */
export const ConfirmAction = ({ action, ...rest }: ConfirmActionProps) => (
  <ConfirmDialog
    {...rest}
    busy={action.isPending}
    error={action.error === null ? undefined : errorMessage(action.error)}
    requestId={getRequestId(action.error)}
    onConfirm={() => action.mutate(undefined)}
  />
)
