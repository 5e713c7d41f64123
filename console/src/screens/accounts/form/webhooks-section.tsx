import { hookMethods } from '@patchbay/contract/webhooks/webhooks'
import { HookFields } from '../../../form/hook-fields.tsx'
import { FormSection } from '../../../ui/form-frame.tsx'

/** Webhooks of an account for registrations and queue events. */
export const WebhooksSection = () => (
  <FormSection title="Webhooks" description="Where the platform asks and reports. Leave an address empty for none.">
    <HookFields
      hook="registration_hook"
      title="Registration webhook"
      hint="Asked when a SIP device of this account registers."
      methods={hookMethods}
    />
    <HookFields
      hook="queue_event_hook"
      title="Queue event webhook"
      hint="Told when calls join and leave queues."
      methods={['POST']}
    />
  </FormSection>
)
