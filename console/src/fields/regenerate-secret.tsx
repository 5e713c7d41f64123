import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../ui/button.tsx'
import { ConfirmAction } from '../feedback/confirm-action.tsx'
import { useAction } from '../feedback/use-action.ts'

interface NewSigningSecretProps {
  title: string
  /** what the present secret's end means for whoever checks by it */
  warning: string
  run: () => Promise<{ webhook_secret: string }>
  after: (made: { webhook_secret: string }) => void
}

/** The button beside a signing secret that has another made once that is confirmed: it takes effect at once, without saving. */
export const RegenerateSecret = ({ title, warning, run, after }: NewSigningSecretProps) => {
  const [asking, setAsking] = useState(false)
  const regenerate = useAction({
    run,
    done: () => 'Webhook signing secret was successfully generated',
    after: (made) => {
      after(made)
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
