import { formatClock } from '@patchbay/contract/shared/durations'
import { useEffect, useRef, useState } from 'react'
import { Keypad } from './keypad.tsx'
import { LevelMeter } from './level-meter.tsx'
import styles from './phone.module.css'
import type { Phone } from './use-phone.ts'

const Clock = ({ since }: { since: number }) => {
  const [now, setNow] = useState(since)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [])
  return <time className={styles['clock']}>{formatClock((now - since) / 1000)}</time>
}

/** Plays the audio of the application. */
const Speaker = ({ stream }: { stream: MediaStream }) => {
  const ref = useRef<HTMLAudioElement>(null)
  useEffect(() => {
    if (ref.current) ref.current.srcObject = stream
  }, [stream])
  // oxlint-disable-next-line jsx-a11y/media-has-caption -- a call has no captions
  return <audio ref={ref} autoPlay />
}

const silenceMs = 5000

/** Returns whether no packet with audio has arrived for the first seconds of a call. */
const useIsSilent = (audio: Phone['audio'], since: number | undefined): boolean => {
  const [isSilent, setSilent] = useState(false)
  const connection = audio?.connection
  useEffect(() => {
    if (connection === undefined || since === undefined) return undefined
    const measure = async () => {
      const reports = [...(await connection.getStats()).values()] as { type: string; packetsReceived?: number }[]
      const packets = reports.find(({ type }) => type === 'inbound-rtp')?.packetsReceived ?? 0
      setSilent(packets === 0 && Date.now() - since >= silenceMs)
    }
    const timer = setInterval(() => void measure(), 1000)
    return () => clearInterval(timer)
  }, [connection, since])
  return isSilent
}

const labels = {
  preparing: 'Waiting for the microphone. Answer the question of your browser.',
  calling: 'Calling',
  ringing: 'Ringing',
  talking: 'In call',
} as const

/** A call in progress: its state, levels in both directions, and the keypad. */
export const CallPanel = ({ phone }: { phone: Phone }) => {
  const { state, microphone, audio, call } = phone
  const since = state.phase === 'talking' ? state.since : undefined
  const isSilent = useIsSilent(audio, since)
  if (state.phase === 'idle' || state.phase === 'ended' || state.phase === 'failed') return null
  return (
    <>
      <div className={styles['status']}>
        <output aria-label="State of the call">
          {state.phase === 'connecting' ? `Connecting to ${state.url}` : labels[state.phase]}
        </output>
        {since !== undefined && <Clock since={since} />}
      </div>
      {audio && <Speaker stream={audio.stream} />}
      <div className={styles['levels']}>
        {microphone && <LevelMeter label="You" stream={microphone} />}
        {audio && <LevelMeter label="Application" stream={audio.stream} />}
      </div>
      {isSilent && <output>No audio has arrived from the application yet.</output>}
      {since !== undefined && call && <Keypad onDigit={call.sendDigit} />}
    </>
  )
}
