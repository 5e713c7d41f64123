import type { PhoneSession } from '@patchbay/contract/phone-sessions'
import { useEffect, useEffectEvent, useRef, useState } from 'react'
import { api } from '../../../api/client.ts'
import { closeMicrophone, openMicrophone } from './microphone.ts'
import type { CallState, PhoneCall } from './sip-call.ts'

/** Runs one call after the other: microphone, temporary SIP client, SIP call, and the deletion of the client. */

export type PhoneState = { phase: 'idle'; error: Error | undefined } | { phase: 'preparing' } | CallState

export interface Phone {
  state: PhoneState
  /** The Call-ID of the last INVITE. */
  callId: string | undefined
  microphone: MediaStream | undefined
  /** The audio of the application, and the connection that receives it. */
  audio: { stream: MediaStream; connection: RTCPeerConnection } | undefined
  start(): void
  call: PhoneCall | undefined
}

export const isActive = ({ phase }: PhoneState): boolean => phase !== 'idle' && phase !== 'ended' && phase !== 'failed'

const deleteClient = ({ client_sid }: PhoneSession): void => {
  // The server deletes the client later if this fails.
  api('DELETE /Clients/:client_sid', { params: { client_sid } }, { background: true }).catch(() => {})
}

export const usePhone = (application_sid: string): Phone => {
  const [state, setState] = useState<PhoneState>({ phase: 'idle', error: undefined })
  const [microphone, setMicrophone] = useState<MediaStream>()
  const [audio, setAudio] = useState<Phone['audio']>()
  const [callId, setCallId] = useState<string>()
  const [call, setCall] = useState<PhoneCall>()
  const release = useRef<() => void>(undefined)
  const isClosed = useRef(false)

  const run = async () => {
    setState({ phase: 'preparing' })
    setCallId(undefined)
    setAudio(undefined)
    setCall(undefined)
    setMicrophone(undefined)
    const stream = await openMicrophone()
    setMicrophone(stream)
    try {
      if (isClosed.current) return closeMicrophone(stream)
      const params = { application_sid }
      // The SIP library is larger than the screen.
      const { placeCall } = await import('./sip-call.ts')
      const session = await api('POST /patchbay/applications/:application_sid/phone-sessions', { params })
      const end = () => {
        closeMicrophone(stream)
        deleteClient(session)
        release.current = undefined
      }
      if (isClosed.current) return end()
      const newCall = placeCall({
        session,
        microphone: stream,
        onAudio: (received, connection) => setAudio({ stream: received, connection }),
        onCallId: setCallId,
        onState: (next) => {
          if (!isActive(next)) end()
          setState(next)
        },
      })
      setCall(newCall)
      release.current = () => newCall.hangUp()
    } catch (error) {
      closeMicrophone(stream)
      throw error
    }
  }
  const start = () => {
    run().catch((error: unknown) => setState({ phase: 'idle', error: error as Error }))
  }

  const leave = useEffectEvent(() => release.current?.())
  useEffect(() => {
    isClosed.current = false
    const onPageHide = () => leave()
    window.addEventListener('pagehide', onPageHide)
    return () => {
      window.removeEventListener('pagehide', onPageHide)
      isClosed.current = true
      leave()
    }
  }, [])

  return { state, callId, microphone, audio, start, call }
}
