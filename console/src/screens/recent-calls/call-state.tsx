import type { Call } from '@patchbay/contract/recent-calls'
import { StateBadge } from '../../ui/badge.tsx'

/** Badge with the outcome of a call. Only the screens of this folder load it. */
export const callState = ({ answered, sip_status }: Pick<Call, 'answered' | 'sip_status'>) => (
  <StateBadge tone={answered ? 'good' : 'warn'}>
    {answered ? 'answered' : `not answered${sip_status ? ` (${sip_status})` : ''}`}
  </StateBadge>
)
