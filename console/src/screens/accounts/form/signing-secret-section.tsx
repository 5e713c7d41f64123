import { api } from '../../../api/client.ts'
import { queryClient } from '../../../api/query-client.ts'
import { accountQuery } from '../../../api/record-queries.ts'
import { RegenerateSecret } from '../../../fields/regenerate-secret.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { SecretField } from '../../../ui/fields/secret-field.tsx'

interface SigningSecretSectionProps {
  account_sid: string
  webhook_secret: string
  canRegenerate: boolean
}

/** Shows the secret that signs the webhooks of this account. */
export const SigningSecretSection = ({ account_sid, webhook_secret, canRegenerate }: SigningSecretSectionProps) => (
  <FormSection
    title="Webhook signing"
    description="Webhook receivers use this secret to verify that requests come from the platform."
  >
    <SecretField
      label="Webhook secret"
      value={webhook_secret}
      actions={
        canRegenerate && (
          <RegenerateSecret
            title="Generate a new webhook secret?"
            warning="The current secret stops working immediately. Update it at every receiver."
            run={() =>
              api('GET /Accounts/:account_sid/WebhookSecret', {
                params: { account_sid },
                query: { regenerate: 'true' },
              })
            }
            after={({ webhook_secret: newSecret }) => {
              // Replaces only the secret in the cached account, so that unsaved edits of the form are kept.
              queryClient.setQueryData(
                accountQuery(account_sid).queryKey,
                (account) => account && { ...account, webhook_secret: newSecret },
              )
            }}
          />
        )
      }
    />
  </FormSection>
)
