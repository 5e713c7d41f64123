import { Sip } from '../../sections/sip/sip.tsx'
import type { CaptureOwner } from '../../sections/sip/queries.ts'

interface RegistrationSipProps {
  owner: CaptureOwner
  sip_callid: string
  /** the carrier's */
  name: string
}

/** The captured SIP of a registration as a ladder, or why there is none. */
export const RegistrationSip = ({ owner, sip_callid, name }: RegistrationSipProps) => (
  <Sip
    owner={owner}
    sip_callid={sip_callid}
    legs={[{ sip_callid, description: name, names: {} }]}
    what="registration"
  />
)
