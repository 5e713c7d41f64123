import type { LiveCall } from '@patchbay/contract/live-calls'
import { getEndStatus } from '@patchbay/contract/shared/call-changes'
import { api } from '../../../api/client.ts'
import { ConfirmAction } from '../../../feedback/confirm-action.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import { CallNamed, type NamedCall } from './call-label.tsx'

export interface CallActProps {
  live: NamedCall & Pick<LiveCall, 'call_status'> & { account_sid: string; call_sid: string }
  onClose: () => void
}

/** Confirmation dialog that ends a call. */
export const HangUp = ({ live, onClose }: CallActProps) => {
  const { account_sid, call_sid } = live
  const end = useAction({
    run: () =>
      api(
        'PUT /Accounts/:account_sid/Calls/:call_sid',
        { params: { account_sid, call_sid }, body: { call_status: getEndStatus(live) } },
        { once: true },
      ),
    done: () => 'The call is being ended',
    changes: [['live-calls', account_sid]],
    after: onClose,
  })
  return (
    <ConfirmAction action={end} title="Hang up?" confirmLabel="Hang up" danger onCancel={onClose}>
      <p>
        <CallNamed {...live} /> ends immediately for all participants.
      </p>
    </ConfirmAction>
  )
}
