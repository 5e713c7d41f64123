import type { Application } from '@patchbay/contract/applications'
import { formatClock } from '@patchbay/contract/shared/durations'
import { useEffect, useRef, useState } from 'react'
import { errorMessage, getRequestId } from '../../../api/api-error.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/overlay/dialog.tsx'
import { CallPanel } from './call-panel.tsx'
import { CallRecord } from './call-record.tsx'
import { LiveTranscript } from './live-transcript.tsx'
import { MicrophoneError } from './microphone.ts'
import { describeFailure } from './phone-failure.ts'
import { isActive, type Phone, usePhone } from './use-phone.ts'

interface PhoneDialogProps {
  application: Application & { account_sid: string }
  onClose: () => void
}

const Explanation = ({ name }: { name: string }) => (
  <>
    <p>
      Talk to <bdi>{name}</bdi> with your microphone. Your browser asks for it when the call starts. The audio goes from
      your browser to the SBC, not to Patchbay.
    </p>
    <p>Patchbay creates a SIP client for this call, and deletes it when the call has ended.</p>
  </>
)

/** Shows how the last call ended, or why none could start. */
const Outcome = ({ phone: { state } }: { phone: Phone }) => {
  if (state.phase === 'idle' && state.error)
    return (
      <Banner tone="bad" role="alert" requestId={getRequestId(state.error)}>
        {state.error instanceof MicrophoneError ? state.error.message : errorMessage(state.error)}
      </Banner>
    )
  if (state.phase === 'failed') {
    const { title, hint } = describeFailure(state.failure)
    return (
      <Banner tone="bad" role="alert" title={title}>
        {hint}
      </Banner>
    )
  }
  if (state.phase !== 'ended') return null
  const { by, seconds } = state
  const who = by === 'user' ? 'You have hung up' : 'The application has hung up'
  return <output>{seconds === undefined ? `${who}.` : `${who} after ${formatClock(seconds)}.`}</output>
}

const MuteButton = ({ onChange }: { onChange: (isMuted: boolean) => void }) => {
  const [isMuted, setMuted] = useState(false)
  const toggle = () => {
    onChange(!isMuted)
    setMuted(!isMuted)
  }
  return (
    <Button aria-pressed={isMuted} onClick={toggle}>
      {isMuted ? 'Unmute' : 'Mute'}
    </Button>
  )
}

/** Moves the focus to the main button whenever another one takes its place. */
const useFocusOn = (main: string) => {
  const ref = useRef<HTMLButtonElement>(null)
  // oxlint-disable-next-line react/exhaustive-deps -- the button is another one
  useEffect(() => ref.current?.focus(), [main])
  return ref
}

const Actions = ({ phone, onClose }: { phone: Phone; onClose: () => void }) => {
  const { state, call, start } = phone
  const active = isActive(state)
  const ref = useFocusOn(`${active} ${state.phase === 'preparing'}`)
  if (state.phase === 'preparing')
    return (
      <Button ref={ref} onClick={onClose}>
        Cancel
      </Button>
    )
  if (active)
    return (
      <>
        {state.phase === 'talking' && call && <MuteButton onChange={call.setMuted} />}
        <Button ref={ref} variant="danger" onClick={() => call?.hangUp()}>
          Hang up
        </Button>
      </>
    )
  return (
    <>
      <Button onClick={onClose}>Close</Button>
      <Button ref={ref} variant="primary" data-autofocus onClick={start}>
        {state.phase === 'idle' ? 'Call' : 'Call again'}
      </Button>
    </>
  )
}

/** Calls an application from the browser. The dialog stays open while the call lasts. */
export const PhoneDialog = ({ application, onClose }: PhoneDialogProps) => {
  const { application_sid, account_sid, name } = application
  const phone = usePhone(application_sid)
  const { state, callId } = phone
  const isOver = state.phase === 'ended' || state.phase === 'failed'
  const wasAnswered = state.phase === 'ended' && state.seconds !== undefined
  return (
    <Dialog
      title="Call from browser"
      onClose={onClose}
      blocking={isActive(state) && state.phase !== 'preparing'}
      footer={<Actions phone={phone} onClose={onClose} />}
    >
      {state.phase === 'idle' && <Explanation name={name} />}
      <CallPanel phone={phone} />
      {state.phase === 'talking' && callId !== undefined && (
        <LiveTranscript account_sid={account_sid} callId={callId} callSid={state.callSid} />
      )}
      <Outcome phone={phone} />
      {isOver && callId !== undefined && <CallRecord account_sid={account_sid} callId={callId} opens={wasAnswered} />}
    </Dialog>
  )
}
