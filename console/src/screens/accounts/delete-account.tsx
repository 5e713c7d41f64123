import type { Account } from '@patchbay/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import { runtime } from '../../api/configuration.ts'
import { accountContentsQuery } from '../../api/queries.ts'
import { ConfirmAction } from '../../page/confirm-action.tsx'
import { isConfirmed, NameToConfirm } from '../../page/name-to-confirm.tsx'
import { useAction } from '../../page/use-action.ts'
import { contentsText, isInUse } from './contents.ts'

interface DeleteAccountProps {
  account: Account
  onClose: () => void
  /** in place of closing, once it is gone */
  onDeleted?: () => Promise<void>
}

const anything = 'its users, API keys, applications, phone numbers, carriers, speech services and SIP clients'

/** Asks, says what goes with the account, and for one that is in use wants its name; then deletes it. */
export const DeleteAccount = ({ account, onClose, onDeleted }: DeleteAccountProps) => {
  const { account_sid, name } = account
  const counted = runtime().extensions.has('account-contents')
  const contents = useQuery({ ...accountContentsQuery(account_sid), enabled: counted })
  const [typed, setTyped] = useState('')
  const remove = useAction({
    run: () => call('DELETE /Accounts/:account_sid', { params: { account_sid } }),
    done: () => `Deleted account ${name}`,
    changes: [['accounts']],
    after: () => (onDeleted ?? onClose)(),
  })

  const inUse = contents.data !== undefined && isInUse(contents.data)
  const goes = (): ReactNode => {
    // Where it cannot be counted, it is named.
    if (!counted || contents.isError) return `and with it ${anything}. `
    if (contents.data === undefined) return 'and with it all it holds, which is being counted… '
    const text = contentsText(contents.data)
    return text === '' ? 'which holds nothing. ' : `and with it ${text}. `
  }
  const reason = () => {
    if (counted && contents.isPending) return 'What goes with it is being counted.'
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
        will be deleted, {goes()}This cannot be undone.
      </p>
      {inUse && <NameToConfirm name={name} typed={typed} onType={setTyped} />}
    </ConfirmAction>
  )
}
