import type { Application } from '@patchbay/contract/applications'
import { useQuery } from '@tanstack/react-query'
import { api } from '../../api/client.ts'
import { useAction } from '../../feedback/use-action.ts'
import type { DeleteDialogHandlers } from '../../record/delete-dialog.tsx'
import { DeleteUnusedDialog } from '../../record/delete-unused-dialog.tsx'
import { applicationKinds } from './dependents.tsx'
import { applicationUsesQuery } from './used-by.ts'

interface DeleteApplicationProps extends DeleteDialogHandlers {
  application: Pick<Application, 'application_sid' | 'name'>
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
  return (
    <DeleteUnusedDialog
      noun="application"
      name={name}
      lookUp={lookUp}
      kinds={lookUp.data && applicationKinds(lookUp.data, onClose)}
      action={remove}
      inUseText="cannot be deleted while these use it. Assign another application to them first."
      deletedText="will be deleted with its webhooks and environment variables."
      onClose={onClose}
    />
  )
}
