import type { SpeechCredential } from '@patchbay/contract/speech-credentials'
import { Activity } from 'lucide-react'
import type { OwnerSid } from '../../../api/record-queries.ts'
import { Button } from '../../../ui/button.tsx'
import { FormSection } from '../../../ui/fields/form-frame.tsx'
import { RelativeTime } from '../../../ui/format/time.tsx'
import { ServiceState } from '../service-state.tsx'
import { healthOfService, useTests } from '../test-status.ts'

/** Shows the result of the last test and starts new tests. A test uses the stored credentials, not unsaved changes. */
export const StatusSection = ({ service, owner }: { service: SpeechCredential; owner: OwnerSid }) => {
  const { outcomes, test, isTesting } = useTests(owner)
  const state = healthOfService(service, outcomes.get(service.speech_credential_sid))
  return (
    <FormSection
      title="Credential status"
      description={
        service.last_tested === null ? (
          'Never tested.'
        ) : (
          <>
            Last tested <RelativeTime iso={service.last_tested} />.
          </>
        )
      }
      action={
        <Button
          size="small"
          icon={<Activity size={14} aria-hidden="true" />}
          busy={isTesting}
          onClick={() => test([service])}
        >
          Test
        </Button>
      }
    >
      <div>
        <ServiceState state={{ ...state, reason: '' }} />
      </div>
      {state.reason !== '' && <p role="status">{state.reason}</p>}
    </FormSection>
  )
}
