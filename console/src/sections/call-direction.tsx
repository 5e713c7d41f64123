import { PhoneIncoming, PhoneOutgoing } from 'lucide-react'
import { StateBadge } from '../ui/badge.tsx'

/** Which way a call goes. */
export const CallDirection = ({ direction }: { direction: string }) => {
  const Icon = direction === 'inbound' ? PhoneIncoming : PhoneOutgoing
  return (
    <StateBadge tone="neutral" brief icon={<Icon size={13} aria-hidden="true" />}>
      {direction}
    </StateBadge>
  )
}
