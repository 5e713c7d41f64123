import { Code } from 'lucide-react'
import { useState } from 'react'
import { lazyDialog } from '../../lazy/lazy-dialog.tsx'
import { IconButton } from '../../ui/button.tsx'

const CopyRequestDialog = lazyDialog(
  'copy-request',
  async () => (await import('./copy-request-dialog.tsx')).CopyRequestDialog,
)

export interface CopyRequestProps {
  /**
   * Validates the form like a save, and passes on a function that sends the requests of the save. Errors are shown at
   * their fields.
   */
  prepare: (use: (sendRequests: () => Promise<unknown>) => void) => void
  /** The reason why the form cannot be saved at present. */
  blocked?: string | undefined
}

/** Shows the requests that a save of a form would send, for users who automate it. */
export const CopyRequest = ({ prepare, blocked }: CopyRequestProps) => {
  const [send, setSend] = useState<() => Promise<unknown>>()
  return (
    <>
      <IconButton
        label="Copy request"
        variant="secondary"
        size="medium"
        disabledReason={blocked}
        icon={<Code aria-hidden="true" />}
        onClick={() => prepare((sendRequests) => setSend(() => sendRequests))}
      />
      {send && <CopyRequestDialog sendRequests={send} onClose={() => setSend(undefined)} />}
    </>
  )
}
