import type { PhoneSession } from '@patchbay/contract/phone-sessions'
import { UA, WebSocketInterface } from 'jssip'
import type { DTMF_TRANSPORT } from 'jssip/lib/Constants'
import type { RTCSession } from 'jssip/lib/RTCSession'
import type { IncomingResponse } from 'jssip/lib/SIPMessage'
import type { PhoneFailure } from './phone-failure.ts'
import { findFailure, type SessionEnd } from './session-end.ts'

/** Places a SIP call over a WebSocket of the SBC, without registration: the SBC challenges the INVITE. */

export type CallState =
  | { phase: 'connecting'; url: string }
  | { phase: 'calling' }
  | { phase: 'ringing' }
  | { phase: 'talking'; since: number; callSid: string | undefined }
  | { phase: 'ended'; by: 'user' | 'application'; seconds: number | undefined }
  | { phase: 'failed'; failure: PhoneFailure }

export interface PhoneCall {
  hangUp(): void
  sendDigit(digit: string): void
  setMuted(isMuted: boolean): void
}

export interface CallOptions {
  session: PhoneSession
  microphone: MediaStream
  /** Called with the audio of the application when it arrives. */
  onAudio: (stream: MediaStream, connection: RTCPeerConnection) => void
  /** Called with the Call-ID when the INVITE is sent. */
  onCallId: (callId: string) => void
  onState: (state: CallState) => void
}

/** A WebSocket that has not opened after this time counts as unreachable. */
const connectMs = 10_000

export const placeCall = ({ session, microphone, onAudio, onCallId, onState }: CallOptions): PhoneCall => {
  const [...urls] = session.sbc_urls
  let ua: UA | undefined
  let call: RTCSession | undefined
  let since: number | undefined
  let isOver = false

  /** Returns the seconds since the answer. */
  const getSeconds = () => (since === undefined ? undefined : Math.floor((Date.now() - since) / 1000))

  const finish = (state: CallState) => {
    if (isOver) return
    isOver = true
    ua?.stop()
    onState(state)
  }

  const end = ({ originator, cause, message }: SessionEnd, url: string) => {
    const failure = findFailure({ originator, cause, message }, url)
    if (failure) finish({ phase: 'failed', failure })
    else finish({ phase: 'ended', by: originator === 'remote' ? 'application' : 'user', seconds: getSeconds() })
  }

  const dial = (agent: UA, url: string) => {
    onState({ phase: 'calling' })
    call = agent.call(session.uri, {
      mediaStream: microphone,
      mediaConstraints: { audio: true, video: false },
      // The SBC has a public address, so candidates of the browser's own addresses are sufficient.
      pcConfig: { iceServers: [] },
      eventHandlers: {
        peerconnection: ({ peerconnection }: { peerconnection: RTCPeerConnection }) =>
          peerconnection.addEventListener('track', ({ streams: [stream], track }) =>
            onAudio(stream ?? new MediaStream([track]), peerconnection),
          ),
        sending: ({ request }) => onCallId(request.call_id),
        progress: () => isOver || onState({ phase: 'ringing' }),
        accepted: ({ response }: { response?: IncomingResponse }) => {
          since = Date.now()
          if (!isOver) onState({ phase: 'talking', since, callSid: response?.getHeader('X-Call-Sid') })
        },
        ended: (event) => end(event, url),
        failed: (event) => end(event, url),
      },
    })
  }

  const connect = (url: string) => {
    onState({ phase: 'connecting', url })
    const agent = new UA({
      sockets: [new WebSocketInterface(url)],
      uri: `sip:${session.username}@${session.realm}`,
      password: session.password,
      register: false,
      session_timers: false,
      user_agent: 'Patchbay',
    })
    ua = agent
    const timer = setTimeout(() => tryNext(), connectMs)
    /** Tries the next address. JsSIP would wait before it does. */
    const tryNext = () => {
      clearTimeout(timer)
      if (isOver || ua !== agent) return
      const next = urls.shift()
      if (next === undefined) finish({ phase: 'failed', failure: { kind: 'unreachable', urls: session.sbc_urls } })
      else {
        ua = undefined
        agent.stop()
        connect(next)
      }
    }
    agent.on('connected', () => {
      clearTimeout(timer)
      if (!isOver) dial(agent, url)
    })
    agent.on('disconnected', ({ code, reason = '' }) => {
      if (call === undefined) tryNext()
      else finish({ phase: 'failed', failure: { kind: 'disconnected', url, code, reason } })
    })
    agent.start()
  }

  const first = urls.shift()
  if (first !== undefined) connect(first)

  return {
    hangUp() {
      if (call === undefined) finish({ phase: 'ended', by: 'user', seconds: undefined })
      else if (!call.isEnded()) call.terminate()
    },
    sendDigit(digit) {
      // Telephone events in the audio (RFC 4733), or INFO if the SBC has not agreed on them.
      const canSendEvents = call?.connection.getSenders().some(({ dtmf }) => dtmf?.canInsertDTMF)
      call?.sendDTMF(digit, { transportType: (canSendEvents ? 'RFC2833' : 'INFO') as DTMF_TRANSPORT })
    },
    setMuted: (isMuted) => (isMuted ? call?.mute({ audio: true }) : call?.unmute({ audio: true })),
  }
}
