import { jumped } from '@patchbay/rules/recordings/recordings'
import { useEffect, useState } from 'react'
import { toaster } from '../../../feedback/toaster.ts'

/** Controls the playback of a recording. Positions are seconds from its beginning. */
export interface Playback {
  duration: number
  /** Position at the latest event of the audio element, which sends a few per second. */
  at: number
  /** Returns the current position. */
  now: () => number
  isPlaying: boolean
  /** Number of seeks, plays, and pauses by the user. Each one makes the waveform follow the playback again. */
  interactionCount: number
  speed: Speed
  setSpeed: (speed: Speed) => void
  seek: (to: number) => void
  jump: (by: number) => void
  /** Plays or pauses. */
  toggle: () => void
  playFrom: (at: number) => void
}

export const speeds = ['0.5', '0.75', '1', '1.25', '1.5', '2'] as const
export type Speed = (typeof speeds)[number]

const createSounder = () => {
  const element = new Audio()
  element.preload = 'auto'
  return {
    now: () => element.currentTime,
    isPlaying: () => !element.paused && !element.ended,
    go(to: number) {
      element.currentTime = to
    },
    pause: () => element.pause(),
    async play() {
      try {
        await element.play()
      } catch (error) {
        // A pause before the playback has started aborts `play()`, which is no error.
        if (error instanceof DOMException && error.name === 'AbortError') return
        toaster.failure('The browser cannot play this recording')
      }
    },
    setSpeed(speed: number) {
      element.playbackRate = speed
      // Loading a file resets the playback rate to this value.
      element.defaultPlaybackRate = speed
    },
    /** Returns a function that stops the playback and releases the file. */
    load(file: Blob) {
      const address = URL.createObjectURL(file)
      element.src = address
      return () => {
        element.pause()
        URL.revokeObjectURL(address)
      }
    },
    /** Returns a function that removes the listener. */
    onChange(listener: () => void) {
      const over = new AbortController()
      for (const event of ['play', 'pause', 'ended', 'timeupdate', 'seeking'])
        element.addEventListener(event, listener, { signal: over.signal })
      return () => over.abort()
    },
  }
}

export const usePlayback = (file: Blob, duration: number): Playback => {
  const [sounder] = useState(createSounder)
  const [at, setAt] = useState(0)
  const [isPlaying, setPlaying] = useState(false)
  const [interactionCount, setInteractionCount] = useState(0)
  const [speed, setSpeed] = useState<Speed>('1')
  useEffect(() => sounder.load(file), [sounder, file])
  useEffect(() => sounder.setSpeed(Number(speed)), [sounder, speed])
  useEffect(
    () =>
      sounder.onChange(() => {
        setAt(sounder.now())
        setPlaying(sounder.isPlaying())
      }),
    [sounder],
  )
  const seek = (to: number) => {
    const seconds = Math.max(0, Math.min(to, duration))
    setInteractionCount((count) => count + 1)
    setAt(seconds)
    sounder.go(seconds)
  }
  return {
    duration,
    at,
    now: sounder.now,
    isPlaying,
    interactionCount,
    speed,
    setSpeed,
    seek,
    jump: (by) => seek(jumped(sounder.now(), by, duration)),
    toggle() {
      setInteractionCount((count) => count + 1)
      if (isPlaying) sounder.pause()
      else void sounder.play()
    },
    playFrom(seconds) {
      seek(seconds)
      void sounder.play()
    },
  }
}
