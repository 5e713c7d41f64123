/**
 * Playback of call recordings (CALLS-14, CALLS-29, docs/reference/platform-api/recordings.md#player). Pure. Channel 0
 * is the caller, channel 1 the platform. Positions are seconds from the beginning of the recording.
 */

export const jumpSeconds = 15
/** Height of a channel's waveform. */
export const wavePixels = 50
export const pixelsPerSecond = 100
export const sampleRate = 8000

/** Waveforms and silence detection use peaks. A peak is the loudest of this many samples. */
const samplesPerPeak = 10
export const peaksPerSecond = sampleRate / samplesPerPeak

/** Returns the loudest of every ten samples, with its sign. */
export const computePeaks = (samples: Float32Array): Float32Array => {
  const peaks = new Float32Array(Math.ceil(samples.length / samplesPerPeak))
  for (let at = 0; at < samples.length; at += 1) {
    const peak = Math.floor(at / samplesPerPeak)
    const sample = samples[at] ?? 0
    if (Math.abs(sample) > Math.abs(peaks[peak] ?? 0)) peaks[peak] = sample
  }
  return peaks
}

/** Peaks up to this level are silence. A sound has at least `soundPeaks` peaks in a row above the level. */
export const silence = 0.03
const minSoundPeaks = 5

/** Returns the end of the last sound in a part of a channel, or undefined if the part is silent. */
export const soundEnd = (peaks: Float32Array, from: number, until: number): number | undefined => {
  const first = Math.max(0, Math.floor(from * peaksPerSecond))
  let loud = 0
  for (let at = Math.min(peaks.length, Math.ceil(until * peaksPerSecond)) - 1; at >= first; at -= 1) {
    loud = Math.abs(peaks[at] ?? 0) > silence ? loud + 1 : 0
    if (loud === minSoundPeaks) return (at + minSoundPeaks) / peaksPerSecond + 0.02
  }
  return undefined
}

/** Returns the beginning of the first sound in a part of a channel, or undefined if the part is silent. */
export const soundBegin = (peaks: Float32Array, from: number, until: number): number | undefined => {
  const end = Math.min(peaks.length, Math.ceil(until * peaksPerSecond))
  let loud = 0
  for (let at = Math.max(0, Math.floor(from * peaksPerSecond)); at < end; at += 1) {
    loud = Math.abs(peaks[at] ?? 0) > silence ? loud + 1 : 0
    if (loud === minSoundPeaks) return (at + 1 - minSoundPeaks) / peaksPerSecond
  }
  return undefined
}

/** Returns the position after a jump, limited to the range from 0 to one second before the end. */
export const jumped = (at: number, by: number, duration: number): number =>
  Math.max(0, Math.min(at + by, Math.max(0, duration - 1)))

export interface RecordingPath {
  account_sid: string
  call_sid: string
  year: string
  month: string
  day: string
  format: string
}

const pathPattern =
  /^\/Accounts\/(?<account_sid>[\w-]+)\/RecentCalls\/(?<call_sid>[\w-]+)\/record\/(?<year>\d{4})\/(?<month>\d\d)\/(?<day>\d\d)\/(?<format>\w+)$/

const parsePath = (path: string): RecordingPath | undefined =>
  pathPattern.exec(path)?.groups as RecordingPath | undefined

/**
 * Parses the `recording_url` of a call. Returns the path parameters if the URL is a path of the API or an absolute URL
 * below `apiBase`. Returns `elsewhere` for URLs of other servers, which must not receive the token. Returns undefined
 * for malformed URLs.
 */
export const parseRecordingUrl = (
  recording_url: string,
  apiBase: string,
): { path: RecordingPath } | { elsewhere: string } | undefined => {
  if (!/^https?:\/\//i.test(recording_url)) {
    const path = parsePath(recording_url)
    return path && { path }
  }
  if (!URL.canParse(recording_url)) return undefined
  const { origin, pathname, href } = new URL(recording_url)
  if (origin !== new URL(apiBase).origin) return { elsewhere: href }
  const path = parsePath(pathname.replace(/^(?:\/api)?\/v1(?=\/)/, ''))
  return path && { path }
}
