import type { Call } from '@patchbay/contract/recent-calls'
import { Share2 } from 'lucide-react'
import { useState } from 'react'
import { config } from '../../../api/configuration.ts'
import { lazyDialog } from '../../../lazy/lazy-dialog.tsx'
import { Button } from '../../../ui/button.tsx'

const ShareDialog = lazyDialog('share-call', async () => (await import('./share-dialog.tsx')).ShareDialog)

/** Opens the dialog with the links to a call. Renders nothing if the server cannot create links. */
export const ShareButton = ({ call: { account_sid, call_sid, recording_url } }: { call: Call }) => {
  const [isOpen, setOpen] = useState(false)
  if (call_sid === null || !config().extensions.has('call-shares')) return null
  return (
    <>
      <Button size="small" icon={<Share2 size={14} aria-hidden="true" />} onClick={() => setOpen(true)}>
        Share
      </Button>
      {isOpen && (
        <ShareDialog
          account_sid={account_sid}
          call_sid={call_sid}
          hasRecording={Boolean(recording_url)}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
