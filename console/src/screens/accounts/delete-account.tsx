import type { Account } from '@patchbay/contract/accounts'
import { useQuery } from '@tanstack/react-query'
import { Fragment, type ReactNode, useState } from 'react'
import { api } from '../../api/client.ts'
import { config } from '../../api/configuration.ts'
import { ConfirmByNameField, isConfirmed } from '../../feedback/confirm-by-name-field.tsx'
import { useAction } from '../../feedback/use-action.ts'
import { lazyDialog } from '../../lazy/lazy-dialog.tsx'
import type { DeleteDialogHandlers } from '../../record/delete-dialog.tsx'
import { DeleteUnusedDialog } from '../../record/delete-unused-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { accountBlockersQuery } from './blockers.ts'
import { contentsEntries, isInUse } from './contents.ts'
import { ContentsLink } from './contents-link.tsx'
import { blockingKinds } from './deletion-blockers.tsx'
import { accountContentsQuery } from './queries.ts'

interface DeleteAccountProps extends DeleteDialogHandlers {
  account: Account
}

const DeleteWithContents = lazyDialog(
  'delete-account-with-contents',
  async () => (await import('./delete-account-with-contents.tsx')).DeleteAccountWithContents,
)

const uncountedContents = 'its users, carriers, speech services, and SIP clients'

/**
 * Dialog that lists what still uses the account, or, if nothing does, says what else will be deleted and asks for
 * confirmation.
 */
export const DeleteAccount = ({ account, onClose, onDeleted }: DeleteAccountProps) => {
  const { account_sid, name } = account
  const blockers = useQuery(accountBlockersQuery(account_sid))
  const contents = useQuery(accountContentsQuery(account_sid))
  const [typed, setTyped] = useState('')
  const [isWithContents, setWithContents] = useState(false)
  const remove = useAction({
    run: () => api('DELETE /Accounts/:account_sid', { params: { account_sid } }),
    done: () => `Deleted account ${name}`,
    changes: [['accounts']],
    after: () => (onDeleted ?? onClose)(),
  })

  const kinds = blockers.data && blockingKinds(blockers.data, account_sid, onClose)
  const inUse = kinds !== undefined && contents.data !== undefined && isInUse(contents.data)
  const describeContents = (): ReactNode => {
    if (kinds === undefined) return 'unless it is still in use.'
    // Names the kinds of records if their number is not available.
    if (contents.isError) return `and with it ${uncountedContents}.`
    if (contents.data === undefined) return 'with all its records, which are being counted…'
    const counts = contentsEntries(contents.data)
    if (counts.length === 0) return 'which is empty.'
    return (
      <>
        and with it{' '}
        {counts.map(({ table, text }, position) => (
          <Fragment key={table}>
            {position > 0 && ', '}
            <ContentsLink table={table} account_sid={account_sid} label={text} onClick={onClose}>
              {text}
            </ContentsLink>
          </Fragment>
        ))}
        .
      </>
    )
  }
  const disabledReason = () => {
    if (contents.isPending) return 'Counting the account’s records.'
    return inUse && !isConfirmed(name, typed) ? 'Type the name of the account to confirm.' : undefined
  }
  if (isWithContents) return <DeleteWithContents account={account} onClose={onClose} onStarted={onDeleted ?? onClose} />
  return (
    <DeleteUnusedDialog
      noun="account"
      name={name}
      lookUp={blockers}
      kinds={kinds}
      action={remove}
      inUseText="cannot be deleted while these belong to it. Move or delete them first."
      deletedText={<>will be deleted, {describeContents()}</>}
      disabledReason={disabledReason()}
      onClose={onClose}
      inUseAction={
        config().extensions.has('account-cascade') && (
          <Button variant="warning" onClick={() => setWithContents(true)}>
            Delete with contents…
          </Button>
        )
      }
    >
      {inUse && <ConfirmByNameField name={name} typed={typed} onType={setTyped} />}
    </DeleteUnusedDialog>
  )
}
