import type { Account } from '@patchbay/contract/accounts'
import { call } from '../../api/client.ts'
import { failureText } from '../../api/failure.ts'
import { useAction } from '../../page/use-action.ts'
import { ConfirmDialog } from '../../ui/dialog.tsx'

interface DeleteAccountProps {
  account: Account
  onClose: () => void
  /** in place of closing, once it is gone */
  onDeleted?: () => Promise<void>
}

/** Asks, then deletes the account with what belongs to it. */
export const DeleteAccount = ({ account, onClose, onDeleted }: DeleteAccountProps) => {
  const remove = useAction({
    run: () => call('DELETE /Accounts/:account_sid', { params: { account_sid: account.account_sid } }),
    done: () => `Deleted account ${account.name}`,
    changes: [['accounts']],
    after: () => (onDeleted ?? onClose)(),
  })
  return (
    <ConfirmDialog
      title="Delete account?"
      confirmLabel="Delete account"
      danger
      busy={remove.isPending}
      error={remove.isError ? failureText(remove.error) : undefined}
      onConfirm={() => remove.mutate(undefined)}
      onCancel={onClose}
    >
      <p>
        <strong>{account.name}</strong> will be deleted, and with it its users, API keys, applications, phone numbers,
        carriers, speech services and SIP clients. This cannot be undone.
      </p>
    </ConfirmDialog>
  )
}
