import type { Application } from '@patchbay/contract/applications'
import { useState } from 'react'
import { config } from '../../../api/configuration.ts'
import { lazyDialog } from '../../../lazy/lazy-dialog.tsx'
import { requiredSession } from '../../../session/session.ts'
import { Button } from '../../../ui/button.tsx'

const CallMe = lazyDialog('call-me', async () => (await import('./call-me.tsx')).CallMe)

/** Button that calls the user's phone with an application. Only a platform with Redis can make calls. */
export const CallMeButton = ({ application }: { application: Application }) => {
  const [isOpen, setOpen] = useState(false)
  const { actor } = requiredSession()
  const { account_sid } = application
  if (account_sid === null || actor.is_view_only || config().switches.has('no-live-calls')) return null
  return (
    <>
      <Button
        onClick={() => setOpen(true)}
        disabledReason={
          actor.scope === 'service_provider'
            ? 'The platform makes calls for account users and administrators only.'
            : undefined
        }
      >
        Call me
      </Button>
      {isOpen && <CallMe application={{ ...application, account_sid }} onClose={() => setOpen(false)} />}
    </>
  )
}
