import type { FindSoundEdge } from '@patchbay/rules/recordings/regions'
import type { Playback } from './use-playback.ts'

/** Connects the player of a call with its conversation, which is in another chunk and another part of the page. */

/** The part of a player that the conversation shows and controls. Positions are seconds from its beginning. */
export interface LinkedPlayer extends Pick<Playback, 'at' | 'isPlaying' | 'duration' | 'playFrom' | 'seek'> {
  /** Number of channels that the waveform shows. */
  channels: number
  /** Finds the beginning of a sound. The same function for the same recording. */
  findSoundBegin: FindSoundEdge
  /** Covers the waveform. The conversation draws its turns there. */
  overlay: HTMLElement
  /** The strip of the whole recording. The conversation marks its turns and findings there. */
  strip: HTMLElement
}

export interface PlayerLink {
  /** Adds a listener that is called after each change. Returns a function that removes it. */
  subscribe: (listener: () => void) => () => void
  /** Returns undefined while no recording is loaded. */
  getPlayer: () => LinkedPlayer | undefined
  setPlayer: (player: LinkedPlayer | undefined) => void
}

export const createPlayerLink = (): PlayerLink => {
  let player: LinkedPlayer | undefined
  const listeners = new Set<() => void>()
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    getPlayer: () => player,
    setPlayer(next) {
      player = next
      for (const listener of listeners) listener()
    },
  }
}
