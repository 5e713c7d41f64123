import type { LiveCall } from '@patchbay/contract/live-calls'
import { PhoneNumberText } from '../../../ui/format/phone-number.tsx'

export type NamedCall = Pick<LiveCall, 'from' | 'to'>

/** Identifies a call by its numbers: "The call from … to …". */
export const CallNamed = ({ from = '', to = '' }: NamedCall) => (
  <>
    The call from{' '}
    <strong>
      <PhoneNumberText value={from} />
    </strong>{' '}
    to{' '}
    <strong>
      <PhoneNumberText value={to} />
    </strong>
  </>
)
