import type { ListedUser } from '@patchbay/contract/users'
import { api } from '../../api/client.ts'
import { DeleteDialog, type DeleteDialogHandlers } from '../../record/delete-dialog.tsx'
import { endSession, flashes, requiredSession } from '../../session/session.ts'

interface DeleteUserProps extends DeleteDialogHandlers {
  user: Pick<ListedUser, 'user_sid' | 'name'>
}

/** Confirmation dialog that deletes a user. Users who delete themselves are signed out. */
export const DeleteUser = ({ user: { user_sid, name }, ...handlers }: DeleteUserProps) => {
  const shared = {
    ...handlers,
    noun: 'user',
    name,
    remove: () => api('DELETE /Users/:user_sid', { params: { user_sid } }),
    done: `Deleted user ${name}`,
  }
  if (user_sid === requiredSession().claims.user_sid)
    return (
      <DeleteDialog
        {...shared}
        title="Delete yourself?"
        confirmLabel="Delete my user"
        // The session has ended, so nothing can be refetched.
        changes={[]}
        after={() => endSession(flashes.signedOut)}
      >
        is your own user. You will be signed out immediately and can’t sign in again. This cannot be undone.
      </DeleteDialog>
    )
  return (
    <DeleteDialog {...shared} changes={[['users']]}>
      will be deleted and signed out immediately. This cannot be undone.
    </DeleteDialog>
  )
}
