import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { ConfirmAction } from '../feedback/confirm-action.tsx'
import { useAction } from '../feedback/use-action.ts'
import { IconButton } from '../ui/button.tsx'

interface NewSigningSecretProps {
  title: string
  /** Explains the effect on the systems that verify signatures with the current secret. */
  warning: string
  run: () => Promise<{ webhook_secret: string }>
  after: (response: { webhook_secret: string }) => void
}

/**
 * The button next to a signing secret that replaces it after a confirmation. The new secret applies immediately,
 * without saving the form.
 */
export const RegenerateSecret = ({ title, warning, run, after }: NewSigningSecretProps) => {
  const [asking, setAsking] = useState(false)
  const regenerate = useAction({
    run,
    done: () => 'Webhook signing secret was successfully generated',
    after: (response) => {
      after(response)
      setAsking(false)
    },
  })
  return (
    <>
      <IconButton label="Generate new secret" onClick={() => setAsking(true)}>
        <RefreshCw size={15} aria-hidden="true" />
      </IconButton>
      {asking && (
        <ConfirmAction
          action={regenerate}
          title={title}
          confirmLabel="Generate"
          danger
          onCancel={() => setAsking(false)}
        >
          <p>{warning}</p>
        </ConfirmAction>
      )}
    </>
  )
}
