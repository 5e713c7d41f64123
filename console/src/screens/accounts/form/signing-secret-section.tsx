import { RefreshCw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../../api/client.ts'
import { accountQuery } from '../../../api/record-queries.ts'
import { queryClient } from '../../../page/query-client.ts'
import { ConfirmAction } from '../../../page/confirm-action.tsx'
import { useAction } from '../../../page/use-action.ts'
import { IconButton } from '../../../ui/button.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'
import { SecretField } from '../../../ui/secret-field.tsx'

interface SigningSecretSectionProps {
  account_sid: string
  webhook_secret: string
  mayRegenerate: boolean
}

/** The secret with which the platform signs its webhooks; a new one takes effect at once, without saving. */
export const SigningSecretSection = ({ account_sid, webhook_secret, mayRegenerate }: SigningSecretSectionProps) => {
  const [asking, setAsking] = useState(false)
  const regenerate = useAction({
    run: () =>
      call('GET /Accounts/:account_sid/WebhookSecret', { params: { account_sid }, query: { regenerate: 'true' } }),
    done: () => 'Webhook signing secret was successfully generated',
    after: ({ webhook_secret: made }) => {
      // Only the secret is replaced in what was read, so that unsaved edits of the form stay.
      queryClient.setQueryData(
        accountQuery(account_sid).queryKey,
        (account) => account && { ...account, webhook_secret: made },
      )
      setAsking(false)
    },
  })
  return (
    <FormSection
      title="Webhook signing"
      description="Receivers check with this secret that a webhook comes from the platform."
    >
      <SecretField
        label="Webhook secret"
        value={webhook_secret}
        actions={
          mayRegenerate && (
            <IconButton label="Generate new secret" onClick={() => setAsking(true)}>
              <RefreshCw size={15} aria-hidden="true" />
            </IconButton>
          )
        }
      />
      {asking && (
        <ConfirmAction
          action={regenerate}
          title="Generate a new webhook secret?"
          confirmLabel="Generate"
          danger
          onCancel={() => setAsking(false)}
        >
          <p>The present secret stops working at once. Every receiver must be given the new one.</p>
        </ConfirmAction>
      )}
    </FormSection>
  )
}
