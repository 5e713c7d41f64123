import type { Account } from '@patchbay/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { accountContentsQuery } from './queries.ts'
import { ConfirmAction } from '../../feedback/confirm-action.tsx'
import { isConfirmed, ConfirmByNameField } from '../../feedback/confirm-by-name-field.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { InUseDialog, isUsed, unknownUse, UseLookUpFailed } from '../../record/dependents-dialog.tsx'
import { blockingKinds } from './deletion-blockers.tsx'
import { accountBlockersQuery } from './blockers.ts'
import { contentsText, isInUse } from './contents.ts'

interface DeleteAccountProps {
  account: Account
  onClose: () => void
  /** Called instead of `onClose` after the account has been deleted. */
  onDeleted?: () => Promise<void>
}

const uncountedContents = 'its users, carriers, speech services and SIP clients'

/**
 * Dialog that lists what still uses the account, or, if nothing does, says what else will be deleted and asks for
 * confirmation.
 */
export const DeleteAccount = ({ account, onClose, onDeleted }: DeleteAccountProps) => {
  const { account_sid, name } = account
  const canCount = config().extensions.has('account-contents')
  const blockers = useQuery(accountBlockersQuery(account_sid))
  const contents = useQuery({ ...accountContentsQuery(account_sid), enabled: canCount })
  const [typed, setTyped] = useState('')
  const remove = useAction({
    run: () => api('DELETE /Accounts/:account_sid', { params: { account_sid } }),
    done: () => `Deleted account ${name}`,
    changes: [['accounts']],
    after: () => (onDeleted ?? onClose)(),
  })

  const kinds = blockers.data && blockingKinds(blockers.data, account_sid, onClose)
  // During the deletion the dependents disappear one by one, so the confirmation stays open.
  if (kinds !== undefined && isUsed(kinds) && !remove.isPending)
    return (
      <InUseDialog what="account" kinds={kinds} onClose={onClose}>
        <p>
          <strong>
            <bdi>{name}</bdi>
          </strong>{' '}
          cannot be deleted while these belong to it. Move or delete them first.
        </p>
      </InUseDialog>
    )

  const inUse = kinds !== undefined && contents.data !== undefined && isInUse(contents.data)
  const renderContents = (): ReactNode => {
    if (kinds === undefined) return 'unless it is still in use. '
    // Names the kinds of records if their number is not available.
    if (!canCount || contents.isError) return `and with it ${uncountedContents}. `
    if (contents.data === undefined) return 'and with it all it holds, which is being counted… '
    const text = contentsText(contents.data)
    return text === '' ? 'which holds nothing. ' : `and with it ${text}. `
  }
  const reason = () => {
    if (kinds === undefined) return unknownUse('account')
    if (canCount && contents.isPending) return 'What goes with it is being counted.'
    return inUse && !isConfirmed(name, typed) ? 'Type the name of the account first.' : undefined
  }

  return (
    <ConfirmAction
      action={remove}
      title="Delete account?"
      confirmLabel="Delete account"
      danger
      confirmDisabledReason={reason()}
      onCancel={onClose}
    >
      <p aria-live="polite">
        <strong>
          <bdi>{name}</bdi>
        </strong>{' '}
        will be deleted, {renderContents()}
        {blockers.isPending ? 'What still uses it is being looked up…' : 'This cannot be undone.'}
      </p>
      <UseLookUpFailed what="account" lookUp={blockers} />
      {inUse && <ConfirmByNameField name={name} typed={typed} onType={setTyped} />}
    </ConfirmAction>
  )
}
