import type { Application } from '@patchbay/contract/applications'
import { useState } from 'react'
import { config } from '../../../api/configuration.ts'
import { lazyDialog } from '../../../lazy/lazy-dialog.tsx'
import { requiredSession } from '../../../session/session.ts'
import { viewOnlyReason } from '../../../session/view-only.ts'
import { Button } from '../../../ui/button.tsx'

const Phone = lazyDialog('phone', async () => (await import('./phone-dialog.tsx')).PhoneDialog)

/** Button that calls the application from the browser, if the server has the address of an SBC. */
export const PhoneButton = ({ application }: { application: Application }) => {
  const [isOpen, setOpen] = useState(false)
  const { account_sid } = application
  if (account_sid === null || !config().extensions.has('phone-sessions')) return null
  return (
    <>
      <Button onClick={() => setOpen(true)} disabledReason={viewOnlyReason(requiredSession().actor)}>
        Call from browser
      </Button>
      {isOpen && <Phone application={{ ...application, account_sid }} onClose={() => setOpen(false)} />}
    </>
  )
}
