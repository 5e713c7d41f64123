import { ConfirmAction } from '../../../feedback/confirm-action.tsx'
import { useAction } from '../../../feedback/use-action.ts'
import { type EndableCall, endCall } from '../../../sections/live-calls/end-call.ts'
import { CallNamed, type NamedCall } from './call-label.tsx'

export interface CallActProps {
  live: NamedCall & EndableCall
  onClose: () => void
}

/** Confirmation dialog that ends a call. */
export const HangUp = ({ live, onClose }: CallActProps) => {
  const end = useAction({
    run: () => endCall(live),
    done: () => 'The call is being ended',
    changes: [['live-calls']],
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
