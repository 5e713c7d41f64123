import { soundBegin } from '@patchbay/rules/recordings/recordings'
import type { FindSoundEdge } from '@patchbay/rules/recordings/regions'
import { useCallback, useEffect, useState } from 'react'
import type { PlayerLink } from './player-link.ts'
import type { Sound } from './recording-query.ts'
import type { Playback } from './use-playback.ts'

/** Makes a player available to the conversation of its call. Returns the refs of the elements that receive its marks. */
export const useLinkedPlayer = (link: PlayerLink, playback: Playback, { duration, peaks }: Sound) => {
  const [overlay, setOverlay] = useState<HTMLElement | null>(null)
  const [strip, setStrip] = useState<HTMLElement | null>(null)
  const { at, isPlaying, playFrom, seek } = playback
  const findSoundBegin: FindSoundEdge = useCallback(
    (channel, from, until) => soundBegin(peaks[channel] ?? peaks[0] ?? new Float32Array(0), from, until),
    [peaks],
  )
  // Runs after every render, because the functions of the playback change with each.
  useEffect(() => {
    link.setPlayer(
      overlay === null || strip === null
        ? undefined
        : { at, isPlaying, duration, playFrom, seek, channels: peaks.length, findSoundBegin, overlay, strip },
    )
  })
  useEffect(() => () => link.setPlayer(undefined), [link])
  return { setOverlay, setStrip }
}
