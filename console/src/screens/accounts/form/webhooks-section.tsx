import { hookMethods } from '@patchbay/contract/webhooks/webhooks'
import { HookFields } from '../../../form/hook-fields.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'

/** Webhooks of an account for registrations and queue events. */
export const WebhooksSection = () => (
  <FormSection
    title="Webhooks"
    description="URLs that the platform requests. Leave a URL empty to disable the webhook."
  >
    <HookFields
      hook="registration_hook"
      title="Registration webhook"
      hint="Requested when a SIP device of this account registers. The response accepts or rejects the device."
      methods={hookMethods}
    />
    <HookFields
      hook="queue_event_hook"
      title="Queue event webhook"
      hint="Receives an event when a call joins or leaves a queue."
      methods={['POST']}
    />
  </FormSection>
)
