import type { LiveCall } from '@patchbay/contract/live-calls'
import { formatPhoneNumber } from '@patchbay/contract/phone-number/format'

export type NamedCall = Pick<LiveCall, 'from' | 'to'>

/** Identifies a call by its numbers: "The call from … to …". */
export const CallNamed = ({ from = '', to = '' }: NamedCall) => (
  <>
    The call from{' '}
    <strong>
      <bdi>{formatPhoneNumber(from)}</bdi>
    </strong>{' '}
    to{' '}
    <strong>
      <bdi>{formatPhoneNumber(to)}</bdi>
    </strong>
  </>
)
