import { errorMessage, getRequestId } from '../api/api-error.ts'
import { ConfirmDialog, type ConfirmDialogProps } from '../ui/dialog.tsx'

interface ConfirmActionProps extends Omit<ConfirmDialogProps, 'busy' | 'error' | 'requestId' | 'onConfirm'> {
  /** made by `useAction`, of no input */
  action: { isPending: boolean; error: Error | null; mutate: (input: undefined) => void }
}

/** Asks before something is done, and stays open while it runs and when it fails. */
export const ConfirmAction = ({ action, ...rest }: ConfirmActionProps) => (
  <ConfirmDialog
    {...rest}
    busy={action.isPending}
    error={action.error === null ? undefined : errorMessage(action.error)}
    requestId={getRequestId(action.error)}
    onConfirm={() => action.mutate(undefined)}
  />
)
