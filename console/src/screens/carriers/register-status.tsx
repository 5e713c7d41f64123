import type { VoipCarrier } from '@patchbay/contract/voip-carriers'
import { useState } from 'react'
import { lazyPart } from '../../lazy/lazy-part.tsx'
import { describeRegistration, registrationLabels } from '../../sections/carrier-health/health-labels.ts'
import { SipPcap } from '../../sections/sip-pcap-download.tsx'
import { StateBadge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { FormSection } from '../../ui/fields/form-frame.tsx'
import { RelativeTime } from '../../ui/format/time.tsx'
import { useRegistration } from './carrier-state.tsx'

/** The SIP ladder diagram of a registration. It is larger than the rest of the screen, so it loads on demand. */
const LazyRegistration = lazyPart(
  'registration-sip',
  async () => (await import('./registration-sip.tsx')).RegistrationSip,
)

/** Returns the account of the carrier, or its service provider if the carrier is available to all accounts. */
const getOwner = ({ account_sid, service_provider_sid }: VoipCarrier) =>
  account_sid ? { account_sid } : { service_provider_sid: service_provider_sid ?? '' }

/** Shows the result of the last REGISTER request to the carrier. */
export const RegisterStatus = ({ carrier }: { carrier: VoipCarrier }) => {
  const { status, callId } = carrier.register_status
  const [isSipOpen, setSipOpen] = useState(false)
  const registration = useRegistration(carrier, [carrier.voip_carrier_sid])
  const { state, reason, reported_at, expires_at, settled_at } = registration
  const tone = registrationLabels[state][0]
  const text = state === 'failing' ? '' : describeRegistration(registration)
  return (
    <FormSection title="Register status" description="Result of the platform’s last registration with this carrier.">
      <div>
        <StateBadge tone={settled_at === null ? tone : 'neutral'}>
          {status ? `Status ${status}` : 'Not Started'}
        </StateBadge>
      </div>
      {text !== '' && <p>{text}</p>}
      {(status || callId) && (
        <DefinitionList
          entries={[
            ...(reason === null ? [] : [['Reason', reason] as const]),
            ...(status
              ? [
                  [
                    'Reported',
                    reported_at ? <RelativeTime key="at" iso={reported_at} /> : 'at an unknown time',
                  ] as const,
                ]
              : []),
            ...(settled_at === null ? [] : [['Accepted', <RelativeTime key="settled" iso={settled_at} />] as const]),
            ...(expires_at === null
              ? []
              : [[state === 'stale' ? 'Expired' : 'Expires', <RelativeTime key="end" iso={expires_at} />] as const]),
            ...(callId ? [['Call ID', callId, { mono: true, copy: callId }] as const] : []),
          ]}
        />
      )}
      {callId && (
        <>
          <SipPcap
            owner={getOwner(carrier)}
            sip_callid={callId}
            method="register"
            none="No SIP of this registration was captured."
          />
          <div>
            <Button size="small" aria-expanded={isSipOpen} onClick={() => setSipOpen(!isSipOpen)}>
              SIP ladder
            </Button>
          </div>
          {isSipOpen && <LazyRegistration owner={getOwner(carrier)} sip_callid={callId} name={carrier.name} />}
        </>
      )}
    </FormSection>
  )
}
