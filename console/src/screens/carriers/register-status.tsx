import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { StateBadge } from '../../ui/badge.tsx'
import { FormSection } from '../../ui/form-frame.tsx'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { isRegistered, reasonOf } from './carrier-state.tsx'
import { RegistrationPcap } from './registration-pcap.tsx'

/** How the platform's last REGISTER with the carrier went. */
export const RegisterStatus = ({ carrier }: { carrier: VoipCarrier }) => {
  const { status, callId } = carrier.register_status
  const reason = reasonOf(carrier)
  const tone = isRegistered(carrier) ? 'good' : status ? 'bad' : 'neutral'
  return (
    <FormSection title="Register status" description="How the platform's last registration with this carrier went.">
      <div>
        <StateBadge tone={tone}>{status ? `Status ${status}` : 'Not Started'}</StateBadge>
      </div>
      {(reason !== undefined || callId) && (
        <DefinitionList
          entries={[
            ...(reason === undefined ? [] : [['Reason', reason] as const]),
            ...(callId ? [['Call ID', callId, { mono: true, copy: callId }] as const] : []),
          ]}
        />
      )}
      {callId && <RegistrationPcap carrier={carrier} callId={callId} />}
    </FormSection>
  )
}
