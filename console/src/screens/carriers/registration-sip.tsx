import type { OwnerSid } from '../../api/record-queries.ts'
import { Sip } from '../../sections/sip/sip.tsx'

interface RegistrationSipProps {
  owner: OwnerSid
  sip_callid: string
  /** Name of the carrier. */
  name: string
}

/** Shows the captured SIP messages of a registration as a ladder diagram, or why there are none. */
export const RegistrationSip = ({ owner, sip_callid, name }: RegistrationSipProps) => (
  <Sip
    owner={owner}
    sip_callid={sip_callid}
    legs={[{ sip_callid, description: name, names: {} }]}
    what="registration"
  />
)
