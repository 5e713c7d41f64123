import type { Account } from '@patchbay/contract/accounts'
import { useState } from 'react'
import { lazyDialog } from '../../../lazy/lazy-dialog.tsx'
import { requiredSession } from '../../../session/session.ts'
import { viewOnlyReason } from '../../../session/view-only.ts'
import { Button } from '../../../ui/button.tsx'

const dialogs = () => import('./activation-dialogs.tsx')
const DeactivateAccount = lazyDialog('deactivate-account', async () => (await dialogs()).DeactivateAccount)
const ActivateAccount = lazyDialog('activate-account', async () => (await dialogs()).ActivateAccount)

/** The button that asks whether to deactivate an account, or to activate it again. */
export const ActivationButton = ({ account }: { account: Account }) => {
  const [isOpen, setOpen] = useState(false)
  const { is_active } = account
  const Dialog = is_active ? DeactivateAccount : ActivateAccount
  return (
    <>
      <Button disabledReason={viewOnlyReason(requiredSession().actor)} onClick={() => setOpen(true)}>
        {is_active ? 'Deactivate account' : 'Activate account'}
      </Button>
      {isOpen && <Dialog account={account} onClose={() => setOpen(false)} />}
    </>
  )
}
