import { formatCodecs, speechCodecs } from '@patchbay/rules/sip/codecs'
import type { SipArrow } from '@patchbay/rules/sip/ladder'
import { isActive, isHeldByAddress, type SdpMedia } from '@patchbay/rules/sip/sdp'

/** Pure functions that decide how the ladder displays a message. */

export type ArrowLook = 'request' | 'provisional' | 'success' | 'failure' | 'unknown'

export const toArrowLook = ({ message }: Pick<SipArrow, 'message'>): ArrowLook => {
  if (message === undefined) return 'unknown'
  const { status } = message
  if (status === undefined) return 'request'
  if (status < 200) return 'provisional'
  return status < 300 ? 'success' : 'failure'
}

/** Returns the position and direction of an arrow between the middles of two lanes, as fractions of the width. */
export const toColumnSpan = ({ from, to }: Pick<SipArrow, 'from' | 'to'>, lanes: number) => {
  const [first, last] = [Math.min(from, to), Math.max(from, to)]
  return { start: (first + 0.5) / lanes, length: Math.max(last - first, 0.4) / lanes, isForward: to >= from }
}

const microseconds = 1e6

/** Waits of at least this many seconds are marked on the time axis. */
const longWaitSeconds = 1

/** Formats the time of a message for the axis, which has seconds as its unit: `0.004`, `73.240`, `3600.5`. */
export const formatAxisTime = (sinceFirst: number): string => {
  const seconds = sinceFirst / microseconds
  return seconds.toFixed(seconds < 1000 ? 3 : 1)
}

/** Returns the time between two messages that follow each other, such as `13.15 s`, if it is long. */
export const getWait = (
  { id, sinceBefore }: Pick<SipArrow, 'id' | 'sinceBefore'>,
  above: Pick<SipArrow, 'id'> | undefined,
): string | undefined => {
  const seconds = sinceBefore / microseconds
  return above?.id === id - 1 && seconds >= longWaitSeconds ? `${seconds.toFixed(seconds < 100 ? 2 : 0)} s` : undefined
}

type ShownMedia = Pick<SdpMedia, 'kind' | 'port' | 'address' | 'direction' | 'codecs' | 'usesIce' | 'isBundleOnly'>

const one = (media: ShownMedia): string => {
  const { kind, address, direction, codecs } = media
  if (!isActive(media)) return `${kind} refused`
  const way = isHeldByAddress(media) ? `held (${address})` : direction
  return `${kind} ${way}: ${formatCodecs(speechCodecs(codecs))}`
}

/** Returns a text such as `audio sendrecv: PCMU, PCMA`, or an empty text if the message describes no media. */
export const formatMedia = (media: readonly ShownMedia[]): string => media.map(one).join('; ')

/** Returns the arrows that contain a text, ignoring case. */
export const having = (arrows: readonly SipArrow[], filter: string): readonly SipArrow[] => {
  const text = filter.trim().toLowerCase()
  return text === '' ? arrows : arrows.filter(({ raw, title }) => `${title}\n${raw}`.toLowerCase().includes(text))
}
