import type { ListedUser } from '@patchbay/contract/users'
import { api } from '../../api/client.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { endSession, flashes, requiredSession } from '../../session/session.ts'

interface DeleteUserProps {
  user: Pick<ListedUser, 'user_sid' | 'name'>
  onClose: () => void
  /** Called instead of `onClose` after the user has been deleted. */
  onDeleted?: () => Promise<void>
}

/** Confirmation dialog that deletes a user. Users who delete themselves are signed out. */
export const DeleteUser = ({ user: { user_sid, name }, onClose, onDeleted }: DeleteUserProps) => {
  const isSelf = user_sid === requiredSession().claims.user_sid
  const remove = useAction({
    run: () => api('DELETE /Users/:user_sid', { params: { user_sid } }),
    done: () => `Deleted user ${name}`,
    // The session has ended, so nothing can be refetched.
    changes: isSelf ? [] : [['users']],
    after: () => (isSelf ? endSession(flashes.signedOut) : (onDeleted ?? onClose)()),
  })
  return (
    <ConfirmAction
      action={remove}
      title={isSelf ? 'Delete yourself?' : 'Delete user?'}
      confirmLabel={isSelf ? 'Delete my user' : 'Delete user'}
      danger
      onCancel={onClose}
    >
      <p>
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        {isSelf
          ? 'is you. You will be signed out at once and cannot sign in again. This cannot be undone.'
          : 'will be deleted, is signed out at once, and cannot sign in again. This cannot be undone.'}
      </p>
    </ConfirmAction>
  )
}
