import type { Application } from '@patchbay/contract/applications'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { InUseDialog, isUsed, UseLookUpFailed, unknownUse } from '../../record/dependents-dialog.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { applicationKinds } from './dependents.tsx'
import { applicationUsesQuery } from './used-by.ts'

interface DeleteApplicationProps {
  application: Pick<Application, 'application_sid' | 'name'>
  onClose: () => void
  /** Called after the deletion, in place of `onClose`. */
  onDeleted?: () => Promise<void>
}

/** Shows what still uses the application. If nothing does, asks for confirmation and deletes it with its webhooks. */
export const DeleteApplication = ({ application, onClose, onDeleted }: DeleteApplicationProps) => {
  const { application_sid, name } = application
  const lookUp = useQuery(applicationUsesQuery(application_sid))
  const remove = useAction({
    run: () => api('DELETE /Applications/:application_sid', { params: { application_sid } }),
    done: () => `Deleted application ${name}`,
    changes: [['applications']],
    after: () => (onDeleted ?? onClose)(),
  })
  const kinds = lookUp.data && applicationKinds(lookUp.data, onClose)
  if (kinds !== undefined && isUsed(kinds) && !remove.isPending)
    return (
      <InUseDialog what="application" kinds={kinds} onClose={onClose}>
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>{' '}
          cannot be deleted while these use it. Give them another application first.
        </p>
      </InUseDialog>
    )
  return (
    <ConfirmAction
      action={remove}
      title="Delete application?"
      confirmLabel="Delete application"
      danger
      confirmDisabledReason={kinds === undefined ? unknownUse('application') : undefined}
      onCancel={onClose}
    >
      <p aria-live="polite">
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        will be deleted, and with it its webhooks and environment variables.{' '}
        {lookUp.isPending ? 'What still uses it is being looked up…' : 'This cannot be undone.'}
      </p>
      <UseLookUpFailed what="application" lookUp={lookUp} />
    </ConfirmAction>
  )
}
