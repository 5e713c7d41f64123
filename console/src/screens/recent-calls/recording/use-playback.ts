import { jumped } from '@patchbay/contract/recordings/recordings'
import { useEffect, useState } from 'react'
import { toaster } from '../../../feedback/toaster.ts'

/** What plays a recording, and where it is. Instants are seconds. */
export interface Playback {
  duration: number
  /** as of some tenths of a second ago */
  at: number
  /** as of now */
  now: () => number
  isPlaying: boolean
  /** how often somebody has gone to a place, or played or stopped it */
  acts: number
  speed: Speed
  setSpeed: (speed: Speed) => void
  seek: (to: number) => void
  jump: (by: number) => void
  /** Plays, or stops. */
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
        // Who stops it before it has begun knows.
        if (error instanceof DOMException && error.name === 'AbortError') return
        toaster.failure('The browser cannot play this recording')
      }
    },
    setSpeed(speed: number) {
      element.playbackRate = speed
      // It is set back to this when the file has come.
      element.defaultPlaybackRate = speed
    },
    /** Answers how to put it away. */
    load(file: Blob) {
      const address = URL.createObjectURL(file)
      element.src = address
      return () => {
        element.pause()
        URL.revokeObjectURL(address)
      }
    },
    /** Answers how to listen no more. */
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
  const [acts, setActs] = useState(0)
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
    setActs((count) => count + 1)
    setAt(seconds)
    sounder.go(seconds)
  }
  return {
    duration,
    at,
    now: sounder.now,
    isPlaying,
    acts,
    speed,
    setSpeed,
    seek,
    jump: (by) => seek(jumped(sounder.now(), by, duration)),
    toggle() {
      setActs((count) => count + 1)
      if (isPlaying) sounder.pause()
      else void sounder.play()
    },
    playFrom(seconds) {
      seek(seconds)
      void sounder.play()
    },
  }
}
