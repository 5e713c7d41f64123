import { PhoneIncoming, PhoneOutgoing } from 'lucide-react'
import { StateBadge } from '../ui/badge.tsx'

/** The direction of a call. */
export const CallDirection = ({ direction }: { direction: string }) => {
  const Icon = direction === 'inbound' ? PhoneIncoming : PhoneOutgoing
  return (
    <StateBadge tone="neutral" brief icon={<Icon size={13} aria-hidden="true" />}>
      {direction}
    </StateBadge>
  )
}
